//go:build linux

package bench_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// admin is a connection past the relay, for a fault's own statements.
func (s *scene) admin(do func(ctx context.Context, conn *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), 30*time.Second)
	defer cancel()
	conn, err := s.server.connect(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, conn), conn.Close(ctx))
}

func (s *scene) pids() []int {
	var list []int
	for _, c := range s.load() {
		list = append(list, c.PID())
	}
	return list
}

// signalled calls one of pg_terminate_backend and pg_cancel_backend for those
// load backends that meet a condition, and tells how many it reached.
func (s *scene) signalled(conn *pgx.Conn, ctx context.Context, call, condition string, pids []int) (n int, err error) {
	err = conn.QueryRow(ctx, `select count(*) from (
		select `+call+`(pid) as sent from pg_stat_activity where pid = any ($1) and application_name = $2 and `+condition+`) s where sent`,
		pids, s.app).Scan(&n)
	return n, err
}

func (s *scene) terminate(all bool) (h hit) {
	h.err = s.admin(func(ctx context.Context, conn *pgx.Conn) error {
		for s.ctx.Err() == nil {
			pids := s.pids()
			if !all && len(pids) > 0 {
				pids = []int{pick(s.random, pids)}
			}
			n, err := s.signalled(conn, ctx, "pg_terminate_backend", "true", pids)
			if err != nil {
				return err
			}
			if n > 0 {
				h.evidence, h.broken = fmt.Sprintf("%d backends terminated", n), n
				return nil
			}
		}
		return nil
	})
	return h
}

// cancel cancels statements until a client was told of one.
func (s *scene) cancel() (h hit) {
	const queryCanceled = "57014"
	before := s.relay.Errors(queryCanceled)
	h.err = s.admin(func(ctx context.Context, conn *pgx.Conn) error {
		for s.pause(2 * time.Millisecond) {
			if _, err := s.signalled(conn, ctx, "pg_cancel_backend", "state = 'active'", s.pids()); err != nil {
				return err
			}
			if n := s.relay.Errors(queryCanceled) - before; n > 0 {
				h.evidence = fmt.Sprintf("%d statements cancelled", n)
				return nil
			}
		}
		return nil
	})
	return h
}

// freeze stops a backend, which then answers nothing: until the run is over, or
// only beyond the grace.
func (s *scene) freeze() hit {
	c := s.one()
	if c == nil {
		return hit{}
	}
	if err := syscall.Kill(c.PID(), syscall.SIGSTOP); err != nil {
		if errors.Is(err, syscall.ESRCH) {
			return hit{}
		}
		return hit{err: err}
	}
	thaw := make(<-chan time.Time)
	if s.random.IntN(4) > 0 {
		thaw = time.After(time.Duration(1000+s.random.IntN(2500)) * time.Millisecond)
	}
	select {
	case <-thaw:
	case <-s.back:
	}
	if err := syscall.Kill(c.PID(), syscall.SIGCONT); err != nil && !errors.Is(err, syscall.ESRCH) {
		return hit{err: err}
	}
	return hit{evidence: fmt.Sprintf("backend %d stopped", c.PID()), broken: 1}
}

// killBackend ends a backend with SIGKILL: the server takes all others down with
// it and recovers.
func (s *scene) killBackend() hit {
	before := s.server.logSize()
	for {
		c := s.one()
		if c == nil {
			return hit{}
		}
		err := syscall.Kill(c.PID(), syscall.SIGKILL)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.ESRCH) {
			return hit{err: err}
		}
	}
	for range 500 {
		if strings.Contains(s.server.log(before), "database system is ready") {
			return hit{evidence: "the server recovered", broken: s.everyone()}
		}
		time.Sleep(10 * time.Millisecond) // polled: only the server's log tells
	}
	return hit{err: fmt.Errorf("the server did not recover: %s", s.server.log(before))}
}

// restart stops the server and starts it again after a while.
func (s *scene) restart(stop func() error) hit {
	if s.one() == nil {
		return hit{}
	}
	if err := stop(); err != nil {
		return hit{err: err}
	}
	down := time.Duration(s.random.IntN(1000)) * time.Millisecond
	time.Sleep(down) // the outage itself, of a length that the seed gives
	if err := s.server.start(context.WithoutCancel(s.ctx)); err != nil {
		return hit{err: err}
	}
	return hit{evidence: fmt.Sprintf("down for %v", down), broken: s.everyone()}
}

// restartInAudit restarts the server shortly after the load's end.
func (s *scene) restartInAudit() hit {
	<-s.ctx.Done()
	select {
	case <-s.back:
		return hit{}
	case <-time.After(time.Duration(s.random.IntN(60)) * time.Millisecond):
	}
	if err := s.server.stop(pick(s.random, []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT})); err != nil {
		return hit{err: err}
	}
	select {
	case <-s.back: // possibly before the server had stopped
		return hit{err: s.server.start(context.WithoutCancel(s.ctx))}
	default:
	}
	if err := s.server.start(context.WithoutCancel(s.ctx)); err != nil {
		return hit{err: err}
	}
	return hit{evidence: "restarted before the run returned"}
}

// terminateLock ends the connection that keeps other qbench commands away.
func (s *scene) terminateLock() (h hit) {
	h.err = s.admin(func(ctx context.Context, conn *pgx.Conn) error {
		var n int
		err := conn.QueryRow(ctx, `select count(*) from (select pg_terminate_backend(pid) as sent from pg_stat_activity
			where application_name like 'qbench run lock%') s where sent`).Scan(&n)
		if n > 0 {
			h.evidence = "the run lock's connection was terminated"
		}
		return err
	})
	return h
}

// outage stops the server until the run has given up.
func (s *scene) outage() hit {
	if s.one() == nil {
		return hit{}
	}
	if err := s.server.stop(syscall.SIGINT); err != nil {
		return hit{err: err}
	}
	<-s.back
	if err := s.server.start(context.WithoutCancel(s.ctx)); err != nil {
		return hit{err: err}
	}
	return hit{evidence: "down until the run returned", broken: s.everyone()}
}

// meddle runs a statement that qbench knows nothing of.
func (s *scene) meddle(sql string) (h hit) {
	h.err = s.admin(func(ctx context.Context, conn *pgx.Conn) error {
		for s.ctx.Err() == nil {
			tag, err := conn.Exec(ctx, fmt.Sprintf(sql, pgx.Identifier{s.schema}.Sanitize()))
			if err != nil {
				return err
			}
			if n := tag.RowsAffected(); n > 0 {
				h.evidence = fmt.Sprintf("%d rows", n)
				return nil
			}
		}
		return nil
	})
	return h
}

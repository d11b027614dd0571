package bench

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"qbench/runner"
	"qbench/schema"
)

// maxBackends bounds how many connections of a load are remembered: under -C
// there is one for each transaction, and all but the last few have ended.
const maxBackends = 1 << 16

// backends remembers the server processes of a load's connections.
type backends struct {
	mu   sync.Mutex
	list []backend
	next int // the oldest, once the list is full
}

// backend is a server process by its ID, and when it was connected to by this
// machine's clock: process IDs are used again.
type backend struct {
	pid        uint32
	begin, end time.Time
}

// record wraps a connector.
func (b *backends) record(connect runner.Connector) runner.Connector {
	return func(ctx context.Context) (*pgconn.PgConn, error) {
		begin := time.Now()
		pc, err := connect(ctx)
		if err == nil {
			b.add(backend{pc.PID(), begin, time.Now()})
		}
		return pc, err
	}
}

func (b *backends) add(one backend) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.list) < maxBackends {
		b.list = append(b.list, one)
		return
	}
	b.list[b.next] = one
	b.next = (b.next + 1) % maxBackends
}

// lingering is a session that may still commit what a client of the load sent.
type lingering struct {
	PID   int32
	Start *time.Time
	State string
}

func (l lingering) String() string {
	if l.State == "" {
		return fmt.Sprintf("%d", l.PID)
	}
	return fmt.Sprintf("%d (%s)", l.PID, l.State)
}

func describeLingering(list []lingering) string {
	const most = 5
	var texts []string
	for i, l := range list {
		if i == most {
			texts = append(texts, fmt.Sprintf("%d more", len(list)-most))
			break
		}
		texts = append(texts, l.String())
	}
	if len(list) == 1 {
		return "server process " + texts[0]
	}
	return "server processes " + strings.Join(texts, ", ")
}

// clockSlack is how far the clocks may have drifted apart since they were
// compared.
const clockSlack = 5 * time.Second

// find lists those of the backends that are still there. offset is how far the
// server's clock is ahead.
func (b *backends) find(ctx context.Context, conn *pgx.Conn, offset time.Duration) ([]lingering, error) {
	b.mu.Lock()
	known := map[int32][]backend{}
	pids := make([]int32, 0, len(b.list))
	for _, one := range b.list {
		pid := int32(one.pid)
		if len(known[pid]) == 0 {
			pids = append(pids, pid)
		}
		known[pid] = append(known[pid], one)
	}
	b.mu.Unlock()
	rows, err := conn.Query(ctx, `
		select a.pid, a.backend_start, coalesce(a.state, '')
		from pg_catalog.pg_stat_activity a where a.pid operator(pg_catalog.=) any($1::pg_catalog.int4[])`, pids)
	if err != nil {
		return nil, fmt.Errorf("look for the load's server processes: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[lingering])
	if err != nil {
		return nil, fmt.Errorf("look for the load's server processes: %w", err)
	}
	var out []lingering
	for _, l := range all {
		for _, one := range known[l.PID] {
			// Another role's is no connection of the load; its start is hidden.
			if l.Start != nil && l.Start.After(one.begin.Add(offset-clockSlack)) && l.Start.Before(one.end.Add(offset+clockSlack)) {
				out = append(out, l)
				break
			}
		}
	}
	return out, nil
}

// settleCheck is the time between two looks at the server's processes, and
// terminateWait how long one that was terminated may take to end.
const (
	settleCheck   = 20 * time.Millisecond
	terminateWait = 5 * time.Second
)

// settle waits until nothing that the load's clients sent can be committed any
// more: until the server processes of their connections have ended. A client
// that the network cut off may have one that is still at work. Those that do
// not end in time are terminated. What remains is the reason why an audit would
// prove nothing; "" is nothing.
//
// Behind a pooler the clients' process IDs are the pooler's. There it waits for
// the end of every transaction that writes to the queue's tables, whoever's it
// is, and terminates none.
func (r *run) settle(ctx context.Context, conn *pgx.Conn) (reason string, err error) {
	var pid uint32
	if err := conn.QueryRow(ctx, "select pg_catalog.pg_backend_pid()").Scan(&pid); err != nil {
		return "", fmt.Errorf("ask for the server process: %w", err)
	}
	find := func() ([]lingering, error) { return r.backends.find(ctx, conn, r.offset) }
	pooled := pid != conn.PgConn().PID()
	if pooled {
		find = func() ([]lingering, error) {
			list, err := schema.Writers(ctx, conn, r.made)
			var out []lingering
			for _, w := range list {
				out = append(out, lingering{PID: w.PID, State: w.State})
			}
			return out, err
		}
	}
	wait := func(limit time.Duration) (list []lingering, err error) {
		told := false
		for start := time.Now(); ; {
			if list, err = find(); err != nil || len(list) == 0 {
				return nil, err
			}
			took := time.Since(start)
			if took > limit {
				return list, nil
			}
			if took > time.Second && !told {
				told = true
				r.waiting("waiting up to %v for %s of the load to end", limit, describeLingering(list))
			}
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(settleCheck):
			}
		}
	}
	list, err := wait(r.spec.RecoveryTimeout)
	if err != nil || len(list) == 0 {
		return "", err
	}
	if pooled {
		return fmt.Sprintf("behind the connection pooler %s still had a transaction on the queue after %v; it may be one of the run's", describeLingering(list), r.spec.RecoveryTimeout), nil
	}
	r.waiting("%s of the load did not end within %v and is terminated", describeLingering(list), r.spec.RecoveryTimeout)
	for _, l := range list {
		// By its start as well: the ID may be another's by now. Where the role
		// may not, the process stays, which the next look shows.
		_, _ = conn.Exec(ctx, `select pg_catalog.pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
			where pid operator(pg_catalog.=) $1 and backend_start operator(pg_catalog.=) $2`, l.PID, l.Start)
	}
	if list, err = wait(terminateWait); err != nil || len(list) == 0 {
		return "", err
	}
	return describeLingering(list) + " of the load did not end after it was terminated, and may still commit", nil
}

// waiting tells the hooks why nothing seems to happen.
func (r *run) waiting(format string, args ...any) {
	if r.hooks.Waiting != nil {
		r.hooks.Waiting(fmt.Sprintf(format, args...))
	}
}

package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"qbench/internal/result"
	"qbench/schema"
)

// DefaultRecoveryTimeout is how long a run waits for its server after the load.
const DefaultRecoveryTimeout = time.Minute

// recoveryCheck is the time between two attempts to reach a server.
const recoveryCheck = 100 * time.Millisecond

// prove completes the result with its audit. A server that cannot be reached
// (it restarts, or recovers from a crash) is waited for, and an audit that it
// aborts is made again. Where that fails the result's audit says why none was
// made; the only error is that ctx has ended.
func (r *run) prove(ctx context.Context, res *result.Run) error {
	if r.hooks.Auditing != nil {
		r.hooks.Auditing()
	}
	var giveUp time.Time
	for {
		away, err := r.attempt(ctx, res, giveUp)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
		now := time.Now()
		if giveUp.IsZero() {
			giveUp = now.Add(r.spec.RecoveryTimeout)
			if away {
				r.waiting("waiting up to %v for the server: %v", r.spec.RecoveryTimeout, err)
			}
		}
		switch {
		case !away:
			res.Audit = &result.Audit{Reason: err.Error()}
			return nil
		case !now.Before(giveUp):
			res.Audit = &result.Audit{Reason: fmt.Sprintf("the server did not come back within %v: %v", r.spec.RecoveryTimeout, err)}
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(recoveryCheck, time.Until(giveUp))):
		}
	}
}

// attempt audits once. Of an error it tells whether the server was away, so
// that another attempt may succeed.
func (r *run) attempt(ctx context.Context, res *result.Run, giveUp time.Time) (away bool, err error) {
	if giveUp.IsZero() {
		giveUp = time.Now().Add(r.spec.RecoveryTimeout)
	}
	// A server that accepts a connection and then says nothing is away too.
	reach, cancel := context.WithDeadline(ctx, giveUp)
	defer cancel()
	conn, err := r.target.Connect(reach)
	if err != nil {
		return r.target.away(err), err
	}
	defer closeConn(ctx, conn)
	if err := r.lock.Renew(reach); err != nil {
		var other *InUseError
		if errors.As(err, &other) {
			if other.Holder.Client == lockClient() {
				// The server has not noticed yet that the connection is gone.
				return true, err
			}
			return false, fmt.Errorf("the connection that held the run lock was lost, and then %w", err)
		}
		return r.target.away(err), err
	}
	err = r.audit(ctx, conn, res)
	return err != nil && (conn.IsClosed() || r.target.away(err)), err
}

// away tells whether an error is one of a server that may come back.
func (t *Target) away(err error) bool {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		switch pe.Code {
		case "57P01", "57P02", "57P03", // shutdown, crash, starting up or in recovery
			"57014", // the audit's statement was cancelled
			tooManyConnections:
			return true
		}
		return pe.Code[:2] == "08" // connection failure: also a pooler's word for it
	}
	if t.Disposable && (errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT)) {
		return false // a disposable server is not started again
	}
	// SafeToRetry tells a connection that ended between two statements: the next
	// one was not sent.
	var ce *unreachableError
	var oe *net.OpError
	return errors.As(err, &ce) || errors.As(err, &oe) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		pgconn.SafeToRetry(err) || pgconn.Timeout(err)
}

// counts are what the clients were told; nil where nothing is counted.
func (r *run) counts(res *result.Run) *schema.ClientCounts {
	if !res.CountsOrders {
		return nil
	}
	c := &schema.ClientCounts{
		Before: r.before, Acknowledged: res.Acknowledged, InDoubt: res.InDoubt, InDoubtUnknown: res.InDoubtUnknown, EnqueuedBefore: r.enqueuedBefore(),
	}
	if p := res.Producers; p != nil {
		c.Enqueued, c.EnqueuedInDoubt, c.EnqueuedInDoubtUnknown = p.Acknowledged, p.InDoubt, p.InDoubtUnknown
	}
	return c
}

// enqueuedBefore is the number of producers' orders that were there at the
// start.
func (r *run) enqueuedBefore() int64 { return max(0, r.depth+r.before-r.made.Orders) }

// audit completes the result with what the tables say.
func (r *run) audit(ctx context.Context, conn *pgx.Conn, res *result.Run) error {
	unsettled, err := r.settle(ctx, conn)
	if err != nil {
		return err
	}
	counts := r.counts(res)
	// First of all, so that a check knows them should this process end now.
	switch err := schema.FinishRun(ctx, conn, r.made, r.id, counts); {
	case errors.Is(err, schema.ErrReplaced):
		return err
	case err != nil && !conn.IsClosed() && !r.target.away(err):
		if r.hooks.Message != nil {
			r.hooks.Message("warning", fmt.Sprintf("the clients' counts are not kept for \"qbench check\": %v", err))
		}
	case err != nil:
		return err
	}
	if r.spec.Feed != nil {
		if err := r.steady(ctx, conn, res); err != nil {
			return err
		}
	}
	audit, err := schema.AuditTables(ctx, conn, r.made, counts)
	if err != nil {
		return err
	}
	if unsettled != "" {
		audit.NotMade(unsettled)
	}
	if res.Partition, err = schema.PartitionUse(ctx, conn, r.made); err != nil {
		return err
	}
	res.Audit = audit
	return nil
}

// abandon writes into the queue's mark that a run did nothing, after all: its
// clients could not be started.
func (r *run) abandon(ctx context.Context) {
	// Where this fails too, a check of the queue says that counts are missing.
	ctx, cancel := context.WithTimeout(ctx, terminateWait)
	defer cancel()
	conn, err := r.target.Connect(ctx)
	if err != nil {
		return
	}
	defer closeConn(ctx, conn)
	_ = schema.FinishRun(ctx, conn, r.made, r.id, &schema.ClientCounts{})
}

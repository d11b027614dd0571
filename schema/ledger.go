package schema

import (
	"context"
	"errors"
	"fmt"
	"time"

	"qbench/internal/result"

	"github.com/jackc/pgx/v5"
)

// Ledger is what the clients of all runs on a queue were told, as far as it has
// reached the queue's mark. It is how "qbench check" knows what a run's own
// audit knew.
type Ledger struct {
	// Before and EnqueuedBefore are the orders that were done, and those of
	// producers that were there, when the first of the runs began.
	Before         int64 `json:"before,omitempty"`
	EnqueuedBefore int64 `json:"enqueued_before,omitempty"`
	// The sums over all runs; see ClientCounts.
	Acknowledged    int64 `json:"acknowledged"`
	InDoubt         int64 `json:"in_doubt,omitempty"`
	Enqueued        int64 `json:"enqueued,omitempty"`
	EnqueuedInDoubt int64 `json:"enqueued_in_doubt,omitempty"`
	InDoubtUnknown  bool  `json:"in_doubt_unknown,omitempty"`
	// Runs is the number of runs whose counts are in the sums.
	Runs int `json:"runs"`
	// Uncounted says that a run's script counts no orders, so that the sums are
	// of a part of the work.
	Uncounted bool `json:"uncounted,omitempty"`
	// Running is the run whose counts have not come yet, and Unfinished the
	// first one whose counts never came.
	Running    *Running `json:"running,omitempty"`
	Unfinished *Running `json:"unfinished,omitempty"`
	// Last is the ID of the run whose counts came last.
	Last string `json:"last,omitempty"`
}

// Running identifies a run: its own random ID, when it began and which process
// it is of.
type Running struct {
	ID    string    `json:"id"`
	Since time.Time `json:"since"`
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
}

// String says when a run began and whose it is.
func (r *Running) String() string {
	return fmt.Sprintf("began at %s (process %d on %s)", r.Since.Format("2006-01-02 15:04:05 MST"), r.PID, r.Host)
}

// ErrReplaced is returned by FinishRun where the mark is no longer the run's.
var ErrReplaced = errors.New("another qbench run used the queue in the meantime")

// StartRun writes into the queue's mark that a run's clients may be at work. It
// is durable when StartRun returns, whatever synchronous_commit is: until
// FinishRun, a check of the queue knows that counts are missing. before and
// enqueued are the orders done and those of producers at this moment.
func StartRun(ctx context.Context, conn *pgx.Conn, m *Made, run Running, before, enqueued int64) error {
	return changeLedger(ctx, conn, m, func(l *Ledger) error {
		if l.Runs == 0 && l.Running == nil && l.Unfinished == nil {
			l.Before, l.EnqueuedBefore = before, enqueued
		}
		if l.Running != nil && l.Unfinished == nil {
			l.Unfinished = l.Running
		}
		l.Running = &run
		return nil
	})
}

// FinishRun adds the counts of a run to the queue's mark; nil counts are those
// of a script that counts no orders. It returns ErrReplaced, and changes
// nothing, where the mark is not the one that StartRun wrote. Called again
// for the same run it does nothing.
func FinishRun(ctx context.Context, conn *pgx.Conn, m *Made, id string, counts *ClientCounts) error {
	return changeLedger(ctx, conn, m, func(l *Ledger) error {
		if l.Last == id {
			return nil
		}
		if l.Running == nil || l.Running.ID != id {
			return ErrReplaced
		}
		l.Running, l.Last = nil, id
		if counts == nil {
			l.Uncounted = true
			return nil
		}
		l.Runs++
		l.Acknowledged += counts.Acknowledged
		l.InDoubt += counts.InDoubt
		l.Enqueued += counts.Enqueued
		l.EnqueuedInDoubt += counts.EnqueuedInDoubt
		l.InDoubtUnknown = l.InDoubtUnknown || counts.InDoubtUnknown
		return nil
	})
}

// changeLedger rewrites the queue's mark. COMMENT waits for a VACUUM of the
// table (it takes a lock in the mode SHARE UPDATE EXCLUSIVE), so the wait has a
// bound.
func changeLedger(ctx context.Context, conn *pgx.Conn, m *Made, change func(*Ledger) error) error {
	w, err := lookup(m.Workload)
	if err != nil {
		return err
	}
	return explain(InCatalog(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if err := boundLocks(ctx, tx); err != nil {
			return err
		}
		// Local: durable on this server. A standby that does not answer must
		// not hold up a run before it begins.
		if _, err := tx.Exec(ctx, "set local synchronous_commit = local"); err != nil {
			return fmt.Errorf("make the mark durable: %w", err)
		}
		now, err := inspect(ctx, tx, m.Schema, w)
		if err != nil {
			return err
		}
		if now == nil {
			return ErrReplaced
		}
		if now.Ledger == nil {
			now.Ledger = &Ledger{}
		}
		if err := change(now.Ledger); err != nil {
			return err
		}
		m.Ledger = now.Ledger
		return writeMark(ctx, tx, []string{w.queue}, *now)
	}), m.Schema)
}

// AuditKept audits the tables as they are and holds them against the counts in
// the queue's mark, which it reads in the same snapshot. What the mark does not
// know makes the audit one that was not made (its Reason says why) unless the
// tables alone, or the counts that are known, prove a mistake. It also returns
// the mark that it has read.
func AuditKept(ctx context.Context, conn *pgx.Conn, m *Made) (*result.Audit, *Made, error) {
	if err := m.auditable(); err != nil {
		return nil, nil, err
	}
	w, err := lookup(m.Workload)
	if err != nil {
		return nil, nil, err
	}
	cases, made, err := readCases(ctx, conn, w, m, true)
	if err != nil {
		return nil, nil, err
	}
	return made.judgeKept(cases), made, nil
}

// judgeKept is judge with the counts of the mark.
func (m *Made) judgeKept(cases []auditCase) *result.Audit {
	l := m.Ledger
	if l == nil || l.Uncounted {
		a := m.judge(cases, nil)
		if l != nil && l.missing() != nil {
			a.NotMade(l.missing().reason())
		}
		return a
	}
	counts := ClientCounts{
		Before: l.Before, Acknowledged: l.Acknowledged, InDoubt: l.InDoubt, InDoubtUnknown: true,
		EnqueuedBefore: l.EnqueuedBefore, Enqueued: l.Enqueued, EnqueuedInDoubtUnknown: true,
	}
	// What was acknowledged must be there whatever else happened. More than
	// that can have been done by clients that are not qbench's.
	a := m.judge(cases, &counts)
	a.InDoubtUnknown = l.InDoubtUnknown
	switch done := a.Processed - l.Before; {
	case l.missing() != nil:
		a.NotMade(l.missing().reason())
	case done > l.Acknowledged+l.InDoubt && !l.InDoubtUnknown:
		a.NotMade(fmt.Sprintf("%s recorded as done, but the clients of qbench's runs count %d and %d in doubt: other clients worked on the queue, so losses cannot be detected",
			count(done), l.Acknowledged, l.InDoubt))
	}
	return a
}

// missing is a run whose counts the mark does not have; nil for none.
func (l *Ledger) missing() *Running {
	if l.Unfinished != nil {
		return l.Unfinished
	}
	return l.Running
}

func (r *Running) reason() string {
	return fmt.Sprintf("the counts of the run that %s are missing: it was killed, or lost its server or its machine, and the number of its acknowledged orders is unknown", r)
}

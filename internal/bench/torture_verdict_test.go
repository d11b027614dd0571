//go:build linux

package bench_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"qbench/internal/result"
	"qbench/schema"
)

// judge holds the run's verdict against the tables.
func (t *trial) judge(ctx context.Context, res *result.Run, runErr error, h hit) error {
	if res == nil {
		if len(t.out.wrong) == 0 { // or it was made to end
			t.out.blame("no result: %v", runErr)
		}
		return t.drop(ctx, nil)
	}
	conn, err := t.server.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	tally, err := takeTally(ctx, conn, t.schema, t.seed, t.orders)
	if err != nil {
		return fmt.Errorf("count the orders: %w", err)
	}
	wrongs := tally.wrongs(res)
	t.out.lossy = len(wrongs) > 0
	said := fmt.Sprintf("acknowledged %d, in doubt %d; clients aborted: %d %q; tables: %+v", res.Acknowledged, res.InDoubt, res.AbortedClients, res.Errors, *tally)
	if p := res.Producers; p != nil {
		said += fmt.Sprintf("; producers acknowledged %d, in doubt %d", p.Acknowledged, p.InDoubt)
	}
	if !t.loses() && len(wrongs) > 0 {
		t.out.blame("the counts are wrong, though nothing was lost: %s (%s)", strings.Join(wrongs, "; "), said)
	}
	switch a := res.Audit; {
	case runErr != nil:
		t.out.blame("the run ended with %v (%s)", runErr, said)
	case a == nil:
		t.out.blame("no word of the audit (%s)", said)
	case !a.Made():
		t.out.unaudited = true
		if !t.fault.outlast && !t.fault.hangs {
			t.out.blame("NOT AUDITED although the server was there: %s (%s)", a.Reason, said)
		}
	case a.OK && len(wrongs) > 0:
		t.out.blame("audit ok, but %s (%s)", strings.Join(wrongs, "; "), said)
	case !a.OK && len(wrongs) == 0:
		t.out.blame("audit failed with %q, but all is well (%s)", a.Problems, said)
	case t.fault.outlast:
		t.out.blame("audited while the server was down (%s)", said)
	case a.Processed != tally.done && !t.fault.loses:
		t.out.blame("the audit found %d orders done, the tables hold %d (%s)", a.Processed, tally.done, said)
	}
	if most := int64(h.broken) * t.batch; res.InDoubt > most {
		t.out.blame("%d orders in doubt, but %d connections broke with up to %d each (%s)", res.InDoubt, h.broken, t.batch, said)
	}
	t.judgeClients(res, h, said)
	if err := t.check(ctx, conn, res, wrongs, said); err != nil {
		return err
	}
	return t.drop(ctx, conn)
}

// judgeClients holds what became of the clients against what the fault broke.
func (t *trial) judgeClients(res *result.Run, h hit, said string) {
	all, aborted := t.everyone(), res.AbortedClients
	if aborted > 0 && len(res.Errors) == 0 {
		t.out.blame("%d clients aborted without a reason (%s)", aborted, said)
	}
	// A pool is shared, and an error is the client's own.
	most := all
	if t.pool == 0 && !t.fault.errors && !t.fault.blocks {
		most = h.broken
	}
	if aborted > most {
		t.out.blame("%d of %d clients aborted, but %d connections broke (%s)", aborted, all, h.broken, said)
	}
	if res.InDoubtUnknown && h.broken == 0 {
		t.out.blame("unknown many orders in doubt, but no connection broke (%s)", said)
	}
	if took := t.ended.Sub(t.began); took < t.duration && !res.Drained && aborted < all {
		t.out.blame("the load ended after %v of %v, though the queue was not drained and %d of %d clients were left (%s)", took, t.duration, all-aborted, all, said)
	}
}

// check asks what "qbench check" says afterwards: the same, or that it cannot
// say. A run that was not audited may be audited now.
func (t *trial) check(ctx context.Context, conn *pgx.Conn, res *result.Run, wrongs []string, said string) error {
	made, err := schema.Inspect(ctx, conn, t.schema, "orders")
	if err != nil || made == nil {
		return fmt.Errorf("look for the queue's mark: %v, %w", made, err)
	}
	a, _, err := t.target.CheckQueue(ctx, conn, made)
	switch {
	case err != nil:
		t.out.blame("check failed: %v", err)
	case a.Made() && a.OK != (len(wrongs) == 0):
		t.out.blame("check says ok %v, %q, but the tables say %q (%s)", a.OK, a.Problems, wrongs, said)
	case !a.Made() && res.Audit.Made():
		t.out.blame("check says NOT AUDITED (%s) after an audited run (%s)", a.Reason, said)
	}
	return nil
}

// drop removes the trial's schema.
func (t *trial) drop(ctx context.Context, conn *pgx.Conn) error {
	if conn == nil {
		var err error
		if conn, err = t.server.connect(ctx); err != nil {
			return err
		}
		defer conn.Close(ctx)
	}
	_, err := conn.Exec(ctx, "set lock_timeout = '30s'; set client_min_messages = warning; drop schema if exists "+pgx.Identifier{t.schema}.Sanitize()+" cascade")
	return err
}

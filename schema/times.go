package schema

import (
	"context"
	"fmt"
	"math"
	"time"

	"qbench/internal/result"

	"github.com/jackc/pgx/v5"
)

// Times says how long orders waited, from the tables themselves and over all of
// them rather than a sample, in one snapshot.
type Times struct {
	// Orders is the number of orders that the rest is of: those that came since
	// the given moment. Untaken of them have not been taken and Undone are not
	// done; they count with their age at the moment given as until.
	Orders, Untaken, Undone int64
	// Queue is the time in the queue: from the INSERT's clock_timestamp() to the
	// moment the statement that took the order had it. What lies between the
	// INSERT and the COMMIT that made the order visible is part of it, and the
	// COMMIT of a statement that only takes is not. Nil without orders. QueueMost
	// are the upper bounds where Queue is not exact.
	Queue     *result.Latency
	QueueMost *result.Bounds
	// EndToEnd is from the same start to the statement that recorded the order
	// as done; nil where the tables do not say.
	EndToEnd     *result.Latency
	EndToEndMost *result.Bounds
	// Depth is the number of all orders in the queue, claimed ones included.
	// Waiting of them are not taken; the first of these came at OldestCame.
	Depth, Waiting int64
	OldestCame     *time.Time
}

// Clock is the server's wall clock as the tables have it: without a time zone,
// in that of the session.
func Clock(ctx context.Context, conn *pgx.Conn) (time.Time, error) {
	var clock func() time.Time
	err := InCatalog(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
		clock, err = serverClock(ctx, tx)
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	return clock(), nil
}

// MeasureTimes reads the waiting times of the orders that came since a moment
// of Clock, as they are at another one.
func MeasureTimes(ctx context.Context, conn *pgx.Conn, m *Made, since, until time.Time) (*Times, error) {
	w, err := lookup(m.Workload)
	if err != nil {
		return nil, err
	}
	values := map[string]string{"done": "null", "timed": "false"}
	if m.Timed {
		values = map[string]string{"done": "done", "timed": "true"}
	}
	times := readSQL(w.name+"/times.sql", m.Schema, values)
	var t Times
	// Between two snapshots an order could be taken, and so be counted nowhere.
	oneSnapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = InCatalog(ctx, conn, oneSnapshot, func(tx pgx.Tx) error {
		var wait, total summary
		targets := append([]any{&t.Orders, &t.Untaken, &t.Undone}, wait.targets()...)
		row := tx.QueryRow(ctx, readSQL("times.sql", m.Schema, map[string]string{"times": "(" + times + ")"}), since.UTC(), percentiles, until.UTC())
		if err := row.Scan(append(targets, total.targets()...)...); err != nil {
			return err
		}
		t.Queue, t.QueueMost = wait.latency(), wait.bounds()
		t.EndToEnd, t.EndToEndMost = total.latency(), total.bounds()
		if err := tx.QueryRow(ctx, fill(w.waiting, m.Schema, nil)).Scan(&t.Waiting, &t.OldestCame); err != nil {
			return err
		}
		return tx.QueryRow(ctx, fill(w.depth(), m.Schema, nil)).Scan(&t.Depth)
	})
	if err != nil {
		return nil, fmt.Errorf("read how long orders waited in schema %q: %w", m.Schema, err)
	}
	return &t, nil
}

// percentiles are those of result.Latency.
var percentiles = []float64{0.5, 0.9, 0.95, 0.99, 0.999}

// summary is what times.sql says of one kind of time, in milliseconds.
type summary struct {
	mean, stddev, min, max *float64
	at                     []float64
	// most are the upper bounds: mean, min, max, percentiles; nil where they are
	// the values themselves.
	most []float64
}

func (s *summary) targets() []any {
	return []any{&s.mean, &s.stddev, &s.min, &s.max, &s.at, &s.most}
}

func (s *summary) latency() *result.Latency {
	if s.mean == nil || len(s.at) != len(percentiles) || math.IsNaN(*s.mean) {
		return nil
	}
	return &result.Latency{
		Mean: *s.mean, StdDev: *s.stddev, Min: *s.min, Max: *s.max,
		P50: s.at[0], P90: s.at[1], P95: s.at[2], P99: s.at[3], P999: s.at[4],
	}
}

func (s *summary) bounds() *result.Bounds {
	if len(s.most) != 3+len(percentiles) {
		return nil
	}
	at := s.most[3:]
	return &result.Bounds{
		Mean: s.most[0], StdDev: math.Inf(1), Min: s.most[1], Max: s.most[2],
		P50: at[0], P90: at[1], P95: at[2], P99: at[3], P999: at[4],
	}
}

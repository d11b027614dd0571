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
// them rather than a sample.
type Times struct {
	// Orders is the number of orders that the rest is of: those done that came
	// since the given moment.
	Orders int64
	// Queue is the time in the queue: from the INSERT's clock_timestamp() to the
	// moment the order was taken. What lies between the INSERT and the COMMIT
	// that made the order visible is part of it. Nil without orders.
	Queue *result.Latency
	// EndToEnd is from the same start to the statement that recorded the order
	// as done; nil where the tables do not say.
	EndToEnd *result.Latency
	// Waiting is the number of orders that nobody has taken yet, and Oldest how
	// long the first of them had waited at the moment given as until. They are
	// in no percentile.
	Waiting int64
	Oldest  time.Duration
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
// of Clock.
func MeasureTimes(ctx context.Context, conn *pgx.Conn, m *Made, since, until time.Time) (*Times, error) {
	w, err := lookup(m.Workload)
	if err != nil {
		return nil, err
	}
	var t Times
	err = InCatalog(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		done := "null"
		if m.Timed {
			done = "done"
		}
		times := readSQL(w.name+"/times.sql", m.Schema, map[string]string{"done": done})
		var wait, total summary
		targets := append([]any{&t.Orders}, wait.targets()...)
		err := tx.QueryRow(ctx, readSQL("times.sql", m.Schema, map[string]string{"times": "(" + times + ")"}), since.UTC(), percentiles).Scan(append(targets, total.targets()...)...)
		if err != nil {
			return err
		}
		t.Queue, t.EndToEnd = wait.latency(), total.latency()
		var oldest *time.Time
		if err := tx.QueryRow(ctx, fill(w.waiting, m.Schema, nil)).Scan(&t.Waiting, &oldest); err != nil {
			return err
		}
		if oldest != nil {
			t.Oldest = max(0, until.Sub(*oldest))
		}
		return nil
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
}

func (s *summary) targets() []any { return []any{&s.mean, &s.stddev, &s.min, &s.max, &s.at} }

func (s *summary) latency() *result.Latency {
	if s.mean == nil || len(s.at) != len(percentiles) || math.IsNaN(*s.mean) {
		return nil
	}
	return &result.Latency{
		Mean: *s.mean, StdDev: *s.stddev, Min: *s.min, Max: *s.max,
		P50: s.at[0], P90: s.at[1], P95: s.at[2], P99: s.at[3], P999: s.at[4],
	}
}

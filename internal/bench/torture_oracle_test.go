//go:build linux

package bench_test

import (
	"context"
	"crypto/md5"
	"fmt"
	"strconv"

	"qbench/internal/result"

	"github.com/jackc/pgx/v5"
)

// tally is what is in the tables, counted without any of qbench's code: order
// numbers are computed here and looked up in what the tables hold.
type tally struct {
	queued, done int64 // rows
	missing      int64 // seeded orders in neither table
	repeated     int64 // orders found more than once, in one table or in both
	foreign      int64 // rows that are no order of the set
	enqueued     int64 // producers' orders in a table
}

// takeTally counts the tables of a schema with seeded orders 1 … orders.
func takeTally(ctx context.Context, conn *pgx.Conn, schema string, seed uint64, orders int64) (*tally, error) {
	t := &tally{}
	found := map[[16]byte]int{}
	for table, rows := range map[string]*int64{"t_order_q": &t.queued, "t_order_u": &t.done} {
		r, err := conn.Query(ctx, "select order_id from "+pgx.Identifier{schema, table}.Sanitize())
		if err != nil {
			return nil, err
		}
		var id [16]byte
		if _, err := pgx.ForEachRow(r, []any{&id}, func() error {
			*rows++
			found[id]++
			return nil
		}); err != nil {
			return nil, err
		}
	}
	var last int64
	if err := conn.QueryRow(ctx, "select last_value from "+pgx.Identifier{schema, "t_order_q_id_seq"}.Sanitize()).Scan(&last); err != nil {
		return nil, err
	}
	for n := int64(1); n <= max(last, orders); n++ {
		id := md5.Sum([]byte(strconv.FormatUint(seed, 10) + ":" + strconv.FormatInt(n, 10)))
		k := found[id]
		delete(found, id)
		switch {
		case k == 0 && n <= orders:
			t.missing++
		case k > 1:
			t.repeated++
		}
		if k > 0 && n > orders {
			t.enqueued++
		}
	}
	for _, k := range found {
		t.foreign += int64(k)
	}
	return t, nil
}

// wrongs says what is not as it must be after a run that reports these counts;
// nothing if all is well.
func (t *tally) wrongs(res *result.Run) []string {
	var list []string
	add := func(bad bool, format string, args ...any) {
		if bad {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(t.missing > 0, "%d seeded orders are in neither table", t.missing)
	add(t.repeated > 0, "%d orders are there more than once", t.repeated)
	add(t.foreign > 0, "%d rows are no orders of the set", t.foreign)
	add(t.done < res.Acknowledged, "%d orders acknowledged, %d done", res.Acknowledged, t.done)
	add(t.done > res.Acknowledged+res.InDoubt && !res.InDoubtUnknown, "%d orders done, %d acknowledged and %d in doubt", t.done, res.Acknowledged, res.InDoubt)
	var put, doubt int64
	unknown := false
	if p := res.Producers; p != nil {
		put, doubt, unknown = p.Acknowledged, p.InDoubt, p.InDoubtUnknown
	}
	add(t.enqueued < put, "%d orders acknowledged to producers, %d there", put, t.enqueued)
	add(t.enqueued > put+doubt && !unknown, "%d orders of producers there, %d acknowledged and %d in doubt", t.enqueued, put, doubt)
	return list
}

package schema

import (
	"fmt"
	"strconv"
	"strings"
)

const dynPreOrders = "dyn_pre_orders"

// orders is the order queue: t_order_q, which clients take orders from, and
// t_order_u, where they record them.
var orders = &workload{
	name:          "orders",
	layouts:       []string{Plain, Unlogged, Partitioned},
	routines:      []string{dynPreOrders},
	routineLayout: map[string]string{dynPreOrders: Partitioned},
	queue:         "t_order_q",
	marked:        []string{"t_order_q", "t_order_u"},
	relations:     ordersRelations,
	create:        ordersCreate,
	columns:       func(Options) []string { return []string{"id", "order_id", "cts"} },
	row: func(Options) rowFunc {
		return func(b []byte, o order) []byte {
			return fieldTimestamp(field(fieldInt8(b, o.n), o.id[:]), o.now)
		}
	},
	indexes: ordersIndexes,
	finish:  ordersFinish,
	vacuum:  ordersVacuum,
	done:    "select count(*) from /*schema*/t_order_u",
	waiting: "select count(*), min(cts) from /*schema*/t_order_q",
}

func ordersRelations(o Options) []string {
	names := []string{
		"t_order_q", "t_order_q_id_seq", "t_order_q_pkey",
		"t_order_u", "t_order_u_id_seq", "t_order_u_pkey", "t_order_u_order_id_key",
	}
	if o.Layout != Partitioned {
		return append(names, "t_order_q_order_id_key")
	}
	for i := range o.Partitions {
		name := partitionName(i)
		names = append(names, name, name+"_pkey")
	}
	return names
}

func partitionName(i int) string { return "t_order_q_" + strconv.Itoa(i) }

func ordersCreate(o Options) []string {
	values := map[string]string{"unlogged": unloggedWord(o), "partitions": strconv.Itoa(o.Partitions), "payload": "", "doneColumn": ""}
	if o.PayloadBytes > 0 {
		// A default, so that seeding, producers and anybody's INSERT make it
		// alike; stored as it is, or it would be compressed to nothing.
		values["payload"] = fmt.Sprintf(", payload text not null default repeat('x', %d)", o.PayloadBytes)
	}
	if o.Timed {
		values["doneColumn"] = ", done timestamp not null default clock_timestamp()"
	}
	queue := "orders/queue.sql"
	if o.Layout == Partitioned {
		queue = "orders/queue-partitioned.sql"
	}
	statements := []string{readSQL(queue, o.Schema, values)}
	if o.Layout == Partitioned {
		statements = append(statements, eachPartition("orders/partition.sql", o, Range{0, int64(o.Partitions) - 1}))
	}
	statements = append(statements, readSQL("orders/result.sql", o.Schema, values))
	if o.PayloadBytes > 0 {
		statements = append(statements, fill("alter table /*schema*/t_order_q alter payload set storage external", o.Schema, nil))
	}
	return statements
}

// eachPartition is a file's statement for each of the partitions, as one text.
func eachPartition(file string, o Options, r Range) string {
	var b strings.Builder
	for i := r.First; i <= r.Last; i++ {
		b.WriteString(readSQL(file, o.Schema, map[string]string{
			"unlogged": unloggedWord(o), "partitions": strconv.Itoa(o.Partitions), "i": strconv.FormatInt(i, 10), "key": partitionName(int(i)) + "_pkey",
		}))
	}
	return b.String()
}

// unloggedWord is what stands before "table".
func unloggedWord(o Options) string {
	if o.Unlogged {
		return "unlogged"
	}
	return ""
}

func ordersIndexes(o Options) [][]string {
	if o.Layout != Partitioned {
		return [][]string{
			{readSQL("orders/index-id.sql", o.Schema, nil)},
			{readSQL("orders/index-order-id.sql", o.Schema, nil)},
		}
	}
	var shares [][]string
	for _, r := range halves(o.Partitions) {
		shares = append(shares, []string{eachPartition("orders/partition-key.sql", o, r)})
	}
	return shares
}

func ordersFinish(o Options) []string {
	if o.Layout == Partitioned {
		return []string{readSQL("orders/constraints-partitioned.sql", o.Schema, nil)}
	}
	return []string{readSQL("orders/constraints.sql", o.Schema, nil)}
}

func ordersVacuum(o Options) [][]string {
	if o.Layout != Partitioned {
		return [][]string{{"t_order_q"}, {"t_order_u"}}
	}
	var shares [][]string
	for _, r := range halves(o.Partitions) {
		var share []string
		for i := r.First; i <= r.Last; i++ {
			share = append(share, partitionName(int(i)))
		}
		shares = append(shares, share)
	}
	return append(shares, []string{"t_order_u"})
}

// Range is a set of consecutive order numbers n, both ends included.
type Range struct{ First, Last int64 }

// halves splits the partitions 0 … n-1 between two connections.
func halves(n int) []Range {
	if n < 2 {
		return []Range{{0, int64(n) - 1}}
	}
	mid := int64(n / 2)
	return []Range{{0, mid - 1}, {mid, int64(n) - 1}}
}

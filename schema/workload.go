package schema

import (
	"fmt"
	"strings"
	"time"
)

// workload is what the steps of this package need to know of a queue's
// tables: plain data and pure functions, so that a further workload is a
// further value. Beside it, in sql/NAME/, stand audit.sql, times.sql and one
// function-F.sql for each of its functions and procedures F.
//
// All workloads number their orders alike: the queue has a column id with a
// sequence of its own, and the order in row id is md5(seed || ':' || id).
// Producers take n from the sequence, so the set of orders that there may be is
// 1 … its last value, whoever asks and whenever.
type workload struct {
	name    string
	layouts []string
	// variants are the values of Options.Index, the first being the default;
	// nil where the queue's indexes are always the same.
	variants []string
	// claims says that a worker marks an order as its own before the order is
	// done, so that there can be orders which are claimed and never done.
	claims bool
	// routines are the server-side functions and procedures that scripts call;
	// routineLayout names the one layout that a routine needs.
	routines      []string
	routineLayout map[string]string
	// queue is the table that clients take from; its mark is read back.
	queue string
	// marked lists all tables that bear the mark, the queue among them.
	marked []string
	// types are the enums that the tables use; they bear the mark too.
	types []string
	// normalize, which may be nil, completes the options that only this
	// workload has, and reports those that cannot be.
	normalize func(o *Options) error
	// relations lists every name in the schema that create and indexes take.
	relations func(o Options) []string
	// create returns the statements that make the empty tables, still without
	// the queue's indexes.
	create func(o Options) []string
	// columns are the queue's columns that seeding fills, and row what it puts
	// into them: the fields of a row in COPY's binary format, see field.
	columns func(o Options) []string
	row     func(o Options) rowFunc
	// zoned says that the queue's times are timestamptz, which COPY has in UTC.
	zoned bool
	// indexes returns statements that may run side by side, one list per
	// connection.
	indexes func(o Options) [][]string
	// finish turns the indexes into constraints.
	finish func(o Options) []string
	// vacuum lists the tables to vacuum, by share of a connection.
	vacuum func(o Options) [][]string
	// done is a query for the number of orders recorded as done; waiting is one
	// for the number of those that nobody has taken and the time at which the
	// oldest of them came, a timestamp without time zone. Both are for fill.
	done, waiting string
}

// order is one order to seed.
type order struct {
	n   int64
	id  [16]byte  // md5(seed || ':' || n)
	now time.Time // the server's wall clock, or UTC, see workload.zoned
}

// rowFunc appends the fields of an order's row.
type rowFunc func(b []byte, o order) []byte

var workloads = []*workload{orders, claims, jobs}

// Workloads lists the names of the workloads.
func Workloads() []string {
	names := make([]string, len(workloads))
	for i, w := range workloads {
		names[i] = w.name
	}
	return names
}

// Tables lists the tables that are made for a workload, their partitions
// excepted; nil for an unknown one.
func Tables(workload string) []string {
	w, err := lookup(workload)
	if err != nil {
		return nil
	}
	return w.marked
}

// depth is a query for the number of orders in the queue, claimed ones included.
func (w *workload) depth() string { return "select count(*) from /*schema*/" + w.queue }

func lookup(name string) (*workload, error) {
	for _, w := range workloads {
		if w.name == name {
			return w, nil
		}
	}
	return nil, fmt.Errorf("no workload %q: use one of %s", name, strings.Join(Workloads(), ", "))
}

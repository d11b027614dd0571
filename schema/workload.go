package schema

import (
	"fmt"
	"strings"
)

// workload is what the steps of this package need to know of a queue's
// tables: plain data, so that a further workload is a further value.
type workload struct {
	name      string
	layouts   []string
	functions []string
	// queue and result are the tables that bear the mark; the queue's is the
	// one that is read back.
	queue, result string
	// relations lists every name in the schema that create and indexes take.
	relations func(o Options) []string
	// create returns the statements that make the empty tables, still without
	// the queue's indexes.
	create func(o Options) []string
	// indexes returns statements that may run side by side, one list per
	// connection.
	indexes func(o Options) [][]string
	// finish turns the indexes into constraints.
	finish func(o Options) []string
	// vacuum lists the tables to vacuum, by share of a connection.
	vacuum func(o Options) [][]string
}

var workloads = []*workload{orders}

// Workloads lists the names of the workloads.
func Workloads() []string {
	names := make([]string, len(workloads))
	for i, w := range workloads {
		names[i] = w.name
	}
	return names
}

func lookup(name string) (*workload, error) {
	for _, w := range workloads {
		if w.name == name {
			return w, nil
		}
	}
	return nil, fmt.Errorf("no workload %q: use one of %s", name, strings.Join(Workloads(), ", "))
}

package report

import (
	"fmt"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// allClients are those that can be aborted: the producers' errors and aborts
// are counted with those of the consumers.
func allClients(r *result.Run) int {
	if r.Producers != nil {
		return r.Clients + r.Producers.Clients
	}
	return r.Clients
}

// Aborted says how many of a run's clients were aborted; "" is none.
func Aborted(r *result.Run) string {
	if r.AbortedClients == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s", amount.Grouped(int64(r.AbortedClients)), amount.Count(int64(allClients(r)), "client"))
}

// firstCause is the first error that ended a client. What came later may be
// its consequence.
func firstCause(r *result.Run) string {
	if len(r.Errors) == 0 {
		return "no reason was recorded"
	}
	return r.Errors[0]
}

// aborts are the clients that repeats of one thing lost.
type aborts struct {
	runs, of    int // runs with aborted clients, and all runs
	least, most int // aborted clients in such a run
	clients     int // of a run
	cause       string
}

func abortsOf(runs []*result.Run) aborts {
	a := aborts{of: len(runs)}
	for _, r := range runs {
		if r.AbortedClients == 0 {
			continue
		}
		if a.runs == 0 {
			a.cause, a.least = firstCause(r), r.AbortedClients
		}
		a.runs++
		a.least, a.most = min(a.least, r.AbortedClients), max(a.most, r.AbortedClients)
		a.clients = max(a.clients, allClients(r))
	}
	return a
}

// worst is the run that lost the most clients, as a cell of a table.
func (a *aborts) worst() string {
	if a.runs == 0 {
		return "0"
	}
	return fmt.Sprintf("%s of %s", amount.Grouped(int64(a.most)), amount.Grouped(int64(a.clients)))
}

// text counts the clients of each run by itself: runs have the same clients.
func (a *aborts) text() string {
	count := amount.Grouped(int64(a.most))
	if a.least < a.most {
		count = amount.Grouped(int64(a.least)) + " to " + count
	}
	text := fmt.Sprintf("%s of %s", count, amount.Count(int64(a.clients), "client"))
	if a.of > 1 {
		text += fmt.Sprintf(" in %d of %d runs", a.runs, a.of)
	}
	return text + "; first cause: " + a.cause
}

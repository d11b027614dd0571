package cli

import (
	"sync"

	"qbench/internal/result"
	"qbench/runner"
)

// movedLatencies are those of the workers' transactions that moved an order.
// Under a rate that leaves workers idle most of their looks find nothing, are
// quick, and would hide what an order has to wait for.
type movedLatencies struct {
	workers int
	lanes   []movedLane // one per thread, so that none waits for another
}

type movedLane struct {
	mu          sync.Mutex
	all, window *result.Histogram
	_           [64]byte // keeps the locks on cache lines of their own
}

func newMovedLatencies(workers, threads int) *movedLatencies {
	m := &movedLatencies{workers: workers, lanes: make([]movedLane, threads)}
	for i := range m.lanes {
		m.lanes[i].all, m.lanes[i].window = result.NewHistogram(result.FineDigits), result.NewHistogram(result.CoarseDigits)
	}
	return m
}

// LogTx takes a transaction; the workers are the clients with the first numbers.
func (m *movedLatencies) LogTx(thread int, tx runner.TxOutcome) {
	if tx.Client >= m.workers || tx.Orders == 0 {
		return
	}
	l := &m.lanes[thread]
	l.mu.Lock()
	l.all.Record(tx.Latency)
	l.window.Record(tx.Latency)
	l.mu.Unlock()
}

// percentiles are those of the whole run.
func (m *movedLatencies) percentiles() result.Latency {
	return m.merge(func(l *movedLane) *result.Histogram { return l.all })
}

// cut returns the percentiles since the last cut.
func (m *movedLatencies) cut() result.Latency {
	p := m.merge(func(l *movedLane) *result.Histogram {
		h := l.window
		l.window = result.NewHistogram(result.CoarseDigits)
		return h
	})
	return p
}

func (m *movedLatencies) merge(take func(*movedLane) *result.Histogram) result.Latency {
	sum := result.NewHistogram(result.FineDigits)
	for i := range m.lanes {
		l := &m.lanes[i]
		l.mu.Lock()
		sum.Merge(take(l))
		l.mu.Unlock()
	}
	p := sum.Latency()
	return percentilesOf(&p)
}

package result

import "time"

// Stats is the accounting of a set of transactions: a client's, a thread's, a
// script's or a run's. The identity that holds for every one of them:
//
//	started = Transactions + Failed() + Skipped
//
// Empty and Late transactions are among Transactions.
type Stats struct {
	Transactions int64 `json:"transactions"` // successful
	Orders       int64 `json:"orders"`
	Empty        int64 `json:"empty"` // successful, but moved no order
	Skipped      int64 `json:"skipped"`
	Late         int64 `json:"late"`    // above the latency limit
	Retried      int64 `json:"retried"` // transactions that were tried more than once
	Retries      int64 `json:"retries"`
	// Deadlocks counts the tries that the server ended with one, whether the
	// transaction was tried again or given up.
	Deadlocks int64    `json:"deadlocks,omitempty"`
	Failures  Failures `json:"failures"`
	// LatencyHist is from the (scheduled) start to the end of each transaction
	// that moved an order, or of each successful one where the script counts no
	// orders; EmptyHist is of those that found no order, nil without any.
	LatencyHist *Histogram `json:"latency_hist,omitempty"`
	EmptyHist   *Histogram `json:"empty_hist,omitempty"`
	LagHist     *Histogram `json:"lag_hist,omitempty"`
}

// Failures counts transactions that were given up, by cause.
type Failures struct {
	Serialization int64 `json:"serialization"`
	Deadlock      int64 `json:"deadlock"`
	Other         int64 `json:"other"`
}

// Failed is the number of transactions that were given up.
func (s *Stats) Failed() int64 {
	return s.Failures.Serialization + s.Failures.Deadlock + s.Failures.Other
}

// NewStats is an empty accounting; scheduled makes room for the lag behind a
// schedule.
func NewStats(scheduled bool) *Stats {
	s := &Stats{LatencyHist: NewHistogram(FineDigits)}
	if scheduled {
		s.LagHist = NewHistogram(FineDigits)
	}
	return s
}

// Merge adds o to s.
func (s *Stats) Merge(o *Stats) {
	s.Transactions += o.Transactions
	s.Orders += o.Orders
	s.Empty += o.Empty
	s.Skipped += o.Skipped
	s.Late += o.Late
	s.Retried += o.Retried
	s.Retries += o.Retries
	s.Deadlocks += o.Deadlocks
	s.Failures.Serialization += o.Failures.Serialization
	s.Failures.Deadlock += o.Failures.Deadlock
	s.Failures.Other += o.Failures.Other
	mergeHist(&s.LatencyHist, o.LatencyHist)
	mergeHist(&s.EmptyHist, o.EmptyHist)
	mergeHist(&s.LagHist, o.LagHist)
}

func mergeHist(into **Histogram, o *Histogram) {
	if o == nil || o.Count() == 0 {
		return
	}
	if *into == nil {
		*into = NewHistogram(FineDigits)
	}
	(*into).Merge(o)
}

// Reset forgets everything and keeps the memory.
func (s *Stats) Reset() {
	kept := Stats{LatencyHist: s.LatencyHist, EmptyHist: s.EmptyHist, LagHist: s.LagHist}
	for _, h := range []*Histogram{kept.LatencyHist, kept.EmptyHist, kept.LagHist} {
		if h != nil {
			h.Reset()
		}
	}
	*s = kept
}

// RecordEmpty adds the latency of a transaction that found no order.
func (s *Stats) RecordEmpty(d time.Duration) {
	if s.EmptyHist == nil {
		s.EmptyHist = NewHistogram(FineDigits)
	}
	s.EmptyHist.Record(d)
}

// All is the latencies of all successful transactions, as pgbench reports them.
func (s *Stats) All() *Histogram {
	if s.EmptyHist == nil || s.EmptyHist.Count() == 0 {
		return s.LatencyHist
	}
	all := NewHistogram(FineDigits)
	all.Merge(s.LatencyHist)
	all.Merge(s.EmptyHist)
	return all
}

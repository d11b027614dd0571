package runner_test

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"qbench/runner"
)

func TestTLSConnectionsCarryTheLoad(t *testing.T) {
	t.Parallel()
	for _, mode := range runner.Modes {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			b := newBed(t, 200)
			startRelay(t, b, selfSigned(t))
			cfg := b.load(dequeue)
			cfg.Mode, cfg.Orders = mode, 200
			if res := b.run(cfg); !res.Drained || res.Consumers.Orders != 200 {
				t.Errorf("drained %v with %d orders: %v", res.Drained, res.Consumers.Orders, res.Errors)
			}
		})
	}
}

// outcomes keeps every transaction.
type outcomes struct {
	mu  sync.Mutex
	txs []runner.TxOutcome
}

func (o *outcomes) LogTx(_ int, tx runner.TxOutcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.txs = append(o.txs, tx)
}

// TestStallsShowInTheLatency: under a rate, transactions that fall due while
// the server hangs have waited since then, whether or not a client was free to
// start them. What the stalls demand is computed from the schedule and the
// stalls as they were; nothing bounds the latency from above, since a busy
// machine may be slower than its stalls.
func TestStallsShowInTheLatency(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	r := startRelay(t, b, nil)
	cfg := b.load("select 1;\n")
	log := &outcomes{}
	cfg.Consumers.Rate, cfg.Log, cfg.Duration = 500, log, 3300*time.Millisecond
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		r.stall(100*time.Millisecond, time.Second, stop)
	}()
	res := b.run(cfg)
	close(stop)
	<-stopped

	var demanded []float64
	for _, tx := range log.txs {
		wait := 0.0
		for _, p := range r.pauses {
			if !tx.Start.Before(p.from) && tx.Start.Before(p.to) {
				wait = float64(p.to.Sub(tx.Start)) / 1e6
			}
		}
		demanded = append(demanded, wait)
	}
	if len(demanded) < 500 || len(r.pauses) < 3 {
		t.Fatalf("%d transactions, %d stalls: nothing to judge", len(demanded), len(r.pauses))
	}
	slices.Sort(demanded)
	p99 := demanded[int(math.Ceil(0.99*float64(len(demanded))))-1]
	longest := demanded[len(demanded)-1]
	if res.Consumers.LatencyHist.Latency().P99 < 0.98*p99 || res.Consumers.LatencyHist.Latency().Max < 0.98*longest {
		t.Errorf("p99 %.3f ms and max %.3f ms, but the stalls demand %.3f and %.3f", res.Consumers.LatencyHist.Latency().P99, res.Consumers.LatencyHist.Latency().Max, p99, longest)
	}
	t.Logf("p99 %.3f ms (demanded %.3f), max %.3f ms (demanded %.3f)", res.Consumers.LatencyHist.Latency().P99, p99, res.Consumers.LatencyHist.Latency().Max, longest)
}

// TestStatementLatenciesAddUp: without local commands in between, one
// statement begins where the last one ended.
func TestStatementLatenciesAddUp(t *testing.T) {
	t.Parallel()
	for _, mode := range []runner.Mode{runner.Simple, runner.Extended, runner.Prepared} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			b := newBed(t, 50)
			cfg := b.load("begin;\nselect count(*) as n from q \\gset\nend;\n")
			cfg.Mode, cfg.Transactions, cfg.PerStatement = mode, 50, true
			res := b.run(cfg)
			sum := 0.0
			for _, s := range res.Consumers.Scripts[0].Statements {
				sum += s.MeanMS * float64(s.Count)
			}
			if whole := res.Consumers.LatencyHist.Sum(); math.Abs(sum-whole) > 1e-6*whole {
				t.Errorf("statements took %.6f ms, transactions %.6f ms", sum, whole)
			}
		})
	}
}

func TestAccountingIdentity(t *testing.T) {
	t.Parallel()
	for _, mode := range runner.Modes {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			b := newBed(t, 1)
			b.exec("create table counter (n int); insert into counter values (0)")
			cfg := b.load("begin isolation level repeatable read;\nselect n from counter;\nupdate counter set n = n + 1;\nend;\n")
			log := &outcomes{}
			cfg.Mode, cfg.Transactions, cfg.MaxTries, cfg.Log, cfg.FailuresDetailed = mode, 40, 2, log, true
			cfg.Consumers.Rate, cfg.LatencyLimit = 5000, 20*time.Millisecond
			res := b.run(cfg)
			if all := res.Consumers.Transactions + res.Consumers.Failed() + res.Consumers.Skipped; all != 160 {
				t.Errorf("%d done + %d failed + %d skipped = %d, want 160", res.Consumers.Transactions, res.Consumers.Failed(), res.Consumers.Skipped, all)
			}
			if n := b.one("select n from counter"); n != res.Consumers.Transactions {
				t.Errorf("counter is %d after %d transactions", n, res.Consumers.Transactions)
			}
			words := map[string]int64{}
			for _, tx := range log.txs {
				words[tx.Status]++
			}
			want := fmt.Sprint(res.Consumers.Transactions, res.Consumers.Skipped, res.Consumers.Failures.Serialization, res.Consumers.Failures.Deadlock)
			if got := fmt.Sprint(words[""], words["skipped"], words["serialization"], words["deadlock"]); got != want {
				t.Errorf("the log says %s, the result %s", got, want)
			}
		})
	}
}

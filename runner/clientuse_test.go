package runner_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"qbench/runner"
	"qbench/runner/usage"
)

// clock is a process that uses one processor all the time, and keeps what was read.
type clock struct {
	mu      sync.Mutex
	samples []usage.Sample
}

func (c *clock) read() usage.Sample {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	s := usage.Sample{At: now, User: time.Duration(now.UnixNano()), Peak: 1}
	c.samples = append(c.samples, s)
	return s
}

func TestClientUseLeavesTheWarmupOut(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	cfg := b.load("select 1;\n")
	var c clock
	var start time.Time
	cfg.SetUsage(c.read)
	cfg.Started = func(at time.Time) { start = at }
	cfg.Warmup, cfg.Duration = 300*time.Millisecond, 200*time.Millisecond
	res := b.run(cfg)
	if len(c.samples) != 2 {
		t.Fatalf("%d samples, want 2", len(c.samples))
	}
	first, last := c.samples[0], c.samples[1]
	if warm := first.At.Sub(start); warm < cfg.Warmup {
		t.Errorf("measured from %v on, within the warm-up of %v", warm, cfg.Warmup)
	}
	if want := last.Since(first); res.Client != want || want.CPUSeconds <= 0 {
		t.Errorf("got %+v, want %+v", res.Client, want)
	}
}

func TestClientUseOfARunThatEndsInTheWarmup(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	cfg := b.load("select 1;\n")
	var c clock
	cfg.SetUsage(c.read)
	cfg.Transactions, cfg.Warmup = 1, time.Hour
	if use := b.run(cfg).Client; use.CPUSeconds != 0 || use.CPUShare != 0 {
		t.Errorf("%+v, though nothing was measured", use)
	}
}

// TestClientUseEndsWithTheQueue: one client still waits when the queue is drained; only what was used until then counts. It waits
// for a lock that is given up once the use was read, so that a run that reads at its end is cut off by its grace period.
func TestClientUseEndsWithTheQueue(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	lock, err := b.connect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close(context.Background())
	if _, err := lock.Exec(context.Background(), "select pg_advisory_lock(7)").ReadAll(); err != nil {
		t.Fatal(err)
	}
	cfg := b.load("\\if :client_id = 1\nselect pg_advisory_xact_lock(7);\n\\else\n" + dequeue + "\\endif\n")
	cfg.Mode, cfg.Consumers.Clients, cfg.Orders, cfg.Grace = runner.Prepared, 2, 1, 20*time.Second
	var c clock
	var unlocked sync.WaitGroup
	cfg.SetUsage(func() usage.Sample {
		s := c.read()
		if len(c.samples) == 2 {
			unlocked.Go(func() {
				_, _ = lock.Exec(context.Background(), "select pg_advisory_unlock(7)").ReadAll()
			})
		}
		return s
	})
	res := b.run(cfg)
	unlocked.Wait()
	if res.AbortedClients != 0 || !res.Drained {
		t.Fatalf("%d aborted, drained %v: %v", res.AbortedClients, res.Drained, res.Errors)
	}
	if want := c.samples[1].Since(c.samples[0]); res.Client != want {
		t.Errorf("got %+v, want %+v: what was used until the queue was drained", res.Client, want)
	}
}

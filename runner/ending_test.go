package runner_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"qbench/internal/result"
	"qbench/runner"
)

// messagesOf collects a run's messages.
func messagesOf(cfg *runner.Config) func() string {
	var mu sync.Mutex
	var list []string
	cfg.Message = func(_, text string) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, text)
	}
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(list, "\n")
	}
}

// TestGraceEndsStuckClients lets one client hang far beyond the end of the run.
func TestGraceEndsStuckClients(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]func(*runner.Config){
		"by time":         func(c *runner.Config) { c.Duration = 200 * time.Millisecond },
		"by transactions": func(c *runner.Config) { c.Transactions = 3 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, 1)
			cfg := b.load("select pg_sleep(case when :client_id = 1 then 3600 else 0.01 end), 'stuck " + name + "';")
			cfg.Grace = 300 * time.Millisecond
			limit(&cfg)
			messages := messagesOf(&cfg)
			res := b.run(cfg)
			if res.AbortedClients != 1 || res.Interrupted || res.Consumers.Transactions < 9 || res.Consumers.InDoubt != 0 {
				t.Errorf("%d aborted, interrupted %v, %d transactions, %d in doubt", res.AbortedClients, res.Interrupted, res.Consumers.Transactions, res.Consumers.InDoubt)
			}
			if len(res.Errors) != 1 || !strings.Contains(res.Errors[0], "did not finish in time") {
				t.Errorf("errors %q", res.Errors)
			}
			if !strings.Contains(messages(), "client 1 has not finished within 300ms of the end") || !strings.Contains(messages(), "pg_sleep") {
				t.Errorf("said %q", messages())
			}
			if n := b.one("select count(*) from pg_stat_activity where query like '%stuck " + name + "%' and state = 'active' and pid <> pg_backend_pid()"); n != 0 {
				t.Errorf("%d statements still run", n)
			}
		})
	}
}

// TestDrainEndsWithoutTheLost has one order that no client will ever
// acknowledge, as one that a lost client had claimed.
func TestDrainEndsWithoutTheLost(t *testing.T) {
	t.Parallel()
	b := newBed(t, 50)
	cfg := b.load("\\if :client_id = 3\nselect 1/0;\n\\endif\n" + dequeue)
	cfg.Orders = int64(b.orders) + 1
	res := b.run(cfg)
	if !res.Drained || res.Consumers.Acknowledged != 50 || res.AbortedClients != 1 {
		t.Errorf("drained %v, %d acknowledged, %d aborted", res.Drained, res.Consumers.Acknowledged, res.AbortedClients)
	}
}

func TestPoolWaitIsInTheLatency(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	cfg := b.load("select pg_sleep(0.02);")
	cfg.Consumers.Pool, cfg.Threads, cfg.Transactions = 1, 1, 5
	if res := b.run(cfg); res.Consumers.LatencyHist.Latency().P90 < 50 {
		t.Errorf("4 clients that share a connection for 20 ms each: %v", res.Consumers.LatencyHist.Latency())
	}
}

// TestHangCountsInTheDuration: the clients' last transaction never ends well.
func TestHangCountsInTheDuration(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	cfg := b.load("\\set n :n + 1\n\\if :n > 5\nselect pg_sleep(0.5), pg_terminate_backend(pg_backend_pid());\n\\endif\nselect 1;")
	cfg.Variables, cfg.Transactions = map[string]string{"n": "0"}, 100
	if res := b.run(cfg); res.AbortedClients != 4 || res.Consumers.Seconds < 0.5 {
		t.Errorf("%d aborted after %v s", res.AbortedClients, res.Consumers.Seconds)
	}
}

// TestGroupsHaveTheirOwnDuration: the consumers end long before the producers.
func TestGroupsHaveTheirOwnDuration(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	cfg, slow := b.load("select 1;"), b.load("select pg_sleep(0.1);")

	cfg.Producers = &slow.Consumers
	cfg.Transactions = 10
	res := b.run(cfg)
	producers := float64(res.Producers.Transactions) / (float64(res.Producers.Transactions) / res.Producers.Seconds)
	if res.Consumers.Seconds > producers/2 {
		t.Errorf("consumers %v s, producers %v s", res.Consumers.Seconds, producers)
	}
}

// logOrder notes whether Started was called before the first transaction.
type logOrder struct {
	mu              sync.Mutex
	started, logged bool
	early           bool
}

func (l *logOrder) LogTx(int, runner.TxOutcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.logged, l.early = true, l.early || !l.started
}

func TestStartedComesFirst(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	cfg := b.load("select 1;")
	l := &logOrder{}
	cfg.Log, cfg.Transactions = l, 1
	cfg.Started = func(base time.Time) {
		time.Sleep(20 * time.Millisecond) // lets a transaction that does not wait for this overtake
		l.mu.Lock()
		defer l.mu.Unlock()
		l.started = !base.IsZero()
	}
	if b.run(cfg); !l.logged || l.early {
		t.Errorf("logged %v, before Started %v", l.logged, l.early)
	}
}

// TestKilledRunReturnsWhatItKnows cuts off a run whose clients hang.
func TestKilledRunReturnsWhatItKnows(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	cfg := b.load("\\set n :n + 1\n\\if :n > 5\nselect pg_sleep(3600);\n\\endif\nselect 1;")
	kill := make(chan struct{})
	var once sync.Once
	cfg.Variables, cfg.Transactions, cfg.Kill, cfg.Interval = map[string]string{"n": "0"}, 100, kill, 10*time.Millisecond
	n := int64(0)
	res, err := runner.Run(context.Background(), cfg, b.connect, func(tick result.Tick) {
		if n += int64(tick.TPS*tick.LengthS + 0.5); n >= 20 {
			once.Do(func() { close(kill) })
		}
	})
	if err != nil || !res.Interrupted || res.Consumers.Transactions != 20 || res.AbortedClients != 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

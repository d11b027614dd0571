package runner_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"qbench/internal/pgserver/pgtest"
	"qbench/internal/result"
	"qbench/runner"
	"qbench/runner/script"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bed is a schema of its own with a small queue.
type bed struct {
	tb     testing.TB
	config *pgconn.Config
	admin  *pgx.Conn
	orders int
}

func newBed(tb testing.TB, orders int) *bed {
	tb.Helper()
	dsn, schema := pgtest.Schema(tb)
	pc, err := pgx.ParseConfig(dsn)
	if err != nil {
		tb.Fatal(err)
	}
	pc.RuntimeParams["search_path"] = schema
	admin, err := pgx.ConnectConfig(context.Background(), pc)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { admin.Close(context.Background()) })
	b := &bed{tb, &pc.Config, admin, orders}
	b.exec(fmt.Sprintf(`create schema %s;
		create unlogged table q (id bigint primary key, v text);
		create unlogged table u (id bigint, v text);
		insert into q select n, 'order ' || n from generate_series(1, %d) n;
		analyze q`, schema, orders))
	return b
}

func (b *bed) exec(sql string) {
	b.tb.Helper()
	if _, err := b.admin.Exec(context.Background(), sql); err != nil {
		b.tb.Fatal(err)
	}
}

func (b *bed) one(sql string) (n int64) {
	b.tb.Helper()
	if err := b.admin.QueryRow(context.Background(), sql).Scan(&n); err != nil {
		b.tb.Fatal(err)
	}
	return n
}

func (b *bed) connect(ctx context.Context) (*pgconn.PgConn, error) {
	return pgconn.ConnectConfig(ctx, b.config)
}

// config compiles a source whose statements beginning with "insert" or "with"
// count orders.
func (b *bed) load(source string) runner.Config {
	b.tb.Helper()
	syms := script.NewSymbols()
	s, err := script.Parse("test.sql", source, syms)
	if err != nil {
		b.tb.Fatal(err)
	}
	rs := runner.Script{Script: s, Weight: 1, Orders: make([]script.OrderCount, len(s.Commands))}
	for i, c := range s.Commands {
		if strings.HasPrefix(c.Text, "with") {
			rs.Orders[i] = script.CountRows
		}
	}
	return runner.Config{
		Consumers: runner.Group{Clients: 4, Scripts: []runner.Script{rs}},
		Threads:   2, Mode: runner.Prepared, MaxTries: 1, Seed: 1, Symbols: syms, Backlog: int64(b.orders),
		Message: func(level, text string) { b.tb.Logf("%s %s", level, text) },
	}
}

func (b *bed) run(cfg runner.Config) *runner.Load {
	b.tb.Helper()
	res, err := runner.Run(context.Background(), cfg, b.connect, nil)
	if err != nil {
		b.tb.Fatal(err)
	}
	return res
}

const dequeue = `\set vid 0
begin;
select id as vid from q order by id for update skip locked limit 1 \aset
\if :vid > 0
with d as (delete from q where id = :vid returning id, v) insert into u select id, v from d;
\endif
end;
`

func TestDrainsExactlyOnceInEveryMode(t *testing.T) {
	t.Parallel()
	for _, mode := range runner.Modes {
		for _, clients := range []int{1, 16} {
			t.Run(fmt.Sprintf("%s/%d", mode, clients), func(t *testing.T) {
				t.Parallel()
				b := newBed(t, 500)
				cfg := b.load(dequeue)
				cfg.Mode, cfg.Consumers.Clients, cfg.Orders = mode, clients, 500
				res := b.run(cfg)
				if !res.Drained || res.Consumers.Orders != 500 || res.AbortedClients != 0 {
					t.Errorf("drained %v, %d orders, %d aborted: %v", res.Drained, res.Consumers.Orders, res.AbortedClients, res.Errors)
				}
				if res.Consumers.Transactions != res.Consumers.Orders+res.Consumers.Empty {
					t.Errorf("%d transactions, but %d orders and %d empty", res.Consumers.Transactions, res.Consumers.Orders, res.Consumers.Empty)
				}
				if n := b.one("select count(*) from u"); n != 500 {
					t.Errorf("%d rows arrived", n)
				}
				if n := b.one("select count(distinct id) from u"); n != 500 {
					t.Errorf("%d distinct rows arrived", n)
				}
				if n := res.Consumers.LatencyHist.Count(); n != res.Consumers.Orders {
					t.Errorf("%d latencies of %d transactions that moved an order", n, res.Consumers.Orders)
				}
				if n := res.Consumers.All().Count(); n != res.Consumers.Transactions {
					t.Errorf("%d latencies of %d transactions", n, res.Consumers.Transactions)
				}
			})
		}
	}
}

func TestTransactionsPerClient(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	cfg := b.load(dequeue)
	cfg.Transactions = 7
	cfg.Consumers.Clients = 3
	res := b.run(cfg)
	if res.Consumers.Transactions != 21 || res.Consumers.Orders != 1 || res.Consumers.Empty != 20 {
		t.Errorf("%d transactions, %d orders, %d empty; want 21, 1, 20", res.Consumers.Transactions, res.Consumers.Orders, res.Consumers.Empty)
	}
}

func TestPipelinedTakesTwoRoundTrips(t *testing.T) {
	t.Parallel()
	b := newBed(t, 3)
	cfg := b.load(dequeue)
	cfg.Mode, cfg.Consumers.Clients, cfg.Transactions, cfg.PerStatement = runner.Pipelined, 1, 3, true
	res := b.run(cfg)
	var trips []int
	for _, s := range res.Consumers.Scripts[0].Statements {
		if s.Group > 0 {
			trips = append(trips, s.Group)
		}
	}
	if want := []int{1, 1, 2, 2}; !slices.Equal(trips, want) {
		t.Errorf("round trips %v, want %v", trips, want)
	}
}

func TestSQLErrorAbortsTheClient(t *testing.T) {
	t.Parallel()
	for _, mode := range runner.Modes {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			b := newBed(t, 1)
			cfg := b.load("begin;\nselect 1/(:client_id - 2);\nend;\n")
			cfg.Mode, cfg.Transactions = mode, 5
			res := b.run(cfg)
			if res.AbortedClients != 1 || res.Consumers.Transactions != 15 {
				t.Errorf("%d aborted, %d transactions; want 1 and 15", res.AbortedClients, res.Consumers.Transactions)
			}
			if len(res.Errors) != 1 || !strings.Contains(res.Errors[0], "division by zero") {
				t.Errorf("errors %q", res.Errors)
			}
		})
	}
}

func TestSerializationFailuresAreRetried(t *testing.T) {
	t.Parallel()
	for _, mode := range runner.Modes {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			b := newBed(t, 1)
			b.exec("create table counter (n int); insert into counter values (0)")
			cfg := b.load("begin isolation level repeatable read;\nselect n from counter;\nupdate counter set n = n + 1;\nend;\n")
			cfg.Mode, cfg.Transactions, cfg.MaxTries = mode, 50, 1000
			res := b.run(cfg)
			if res.Consumers.Transactions != 200 || res.Consumers.Failed() != 0 {
				t.Errorf("%d transactions, %d failed: %v", res.Consumers.Transactions, res.Consumers.Failed(), res.Errors)
			}
			if n := b.one("select n from counter"); n != 200 {
				t.Errorf("counter is %d", n)
			}
			if res.Consumers.Retried > res.Consumers.Retries {
				t.Errorf("%d retried, but only %d retries", res.Consumers.Retried, res.Consumers.Retries)
			}
		})
	}
}

func TestInterruptFinishesTransactions(t *testing.T) {
	t.Parallel()
	b := newBed(t, 100000)
	cfg := b.load(dequeue)
	cfg.Duration = time.Hour
	cfg.Interval = 10 * time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ticks := 0
	res, err := runner.Run(ctx, cfg, b.connect, func(k result.Tick) {
		if ticks++; k.OrdersPerS > 0 {
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if !res.Interrupted || res.Consumers.Orders == 0 {
		t.Errorf("interrupted %v with %d orders", res.Interrupted, res.Consumers.Orders)
	}
	if n := b.one("select count(*) from u"); n != res.Consumers.Orders {
		t.Errorf("%d orders acknowledged, %d arrived", res.Consumers.Orders, n)
	}
}

func TestLostBackendLeavesOthersRunning(t *testing.T) {
	t.Parallel()
	for _, mode := range runner.Modes {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			b := newBed(t, 2000)
			cfg := b.load(dequeue + "select pg_terminate_backend(pg_backend_pid()) where :client_id = 1 and :vid > 20;\n")
			cfg.Mode, cfg.Orders = mode, 2000
			res := b.run(cfg)
			if res.AbortedClients != 1 || !res.Drained {
				t.Errorf("%d aborted, drained %v: %q", res.AbortedClients, res.Drained, res.Errors)
			}
			if n := b.one("select count(*) from u"); n < res.Consumers.Orders || n > res.Consumers.Orders+res.Consumers.InDoubt {
				t.Errorf("%d orders acknowledged, %d in doubt, %d arrived", res.Consumers.Orders, res.Consumers.InDoubt, n)
			}
		})
	}
}

func TestPoolSharesConnections(t *testing.T) {
	t.Parallel()
	b := newBed(t, 300)
	cfg := b.load(dequeue)
	cfg.Orders, cfg.Consumers.Clients, cfg.Consumers.Pool = 300, 12, 2
	res := b.run(cfg)
	if !res.Drained || res.Consumers.Orders != 300 {
		t.Errorf("drained %v with %d orders: %v", res.Drained, res.Consumers.Orders, res.Errors)
	}
}

func TestConnectPerTransaction(t *testing.T) {
	t.Parallel()
	b := newBed(t, 20)
	cfg := b.load(dequeue)
	cfg.Connect, cfg.Transactions = true, 5
	res := b.run(cfg)
	if res.Consumers.Transactions != 20 || res.AverageConnect <= 0 {
		t.Errorf("%d transactions, %v ms per connection: %v", res.Consumers.Transactions, res.AverageConnect, res.Errors)
	}
}

func TestProducersFeedConsumersUntilTheEnd(t *testing.T) {
	t.Parallel()
	b := newBed(t, 0)
	b.exec("create sequence more start 1")
	cfg := b.load(dequeue)
	producer, err := script.Parse("produce.sql", "with n as (select nextval('more') as n) insert into q select n, 'x' from n;\nnotify q_orders;\n", cfg.Symbols)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Consumers.Idle, cfg.Consumers.Listen = time.Hour, "q_orders"
	cfg.Producers = &runner.Group{Clients: 2, Scripts: []runner.Script{{Script: producer, Weight: 1, Orders: []script.OrderCount{script.CountRows, 0}}}}
	cfg.Transactions = 100
	cfg.Consumers.Clients = 2
	res := b.run(cfg)
	if res.Producers.Orders != 200 {
		t.Errorf("%d orders enqueued, want 200", res.Producers.Orders)
	}
	if in, out := b.one("select count(*) from q"), b.one("select count(*) from u"); in+out != 200 || out != res.Consumers.Orders {
		t.Errorf("%d in the queue, %d out, %d acknowledged", in, out, res.Consumers.Orders)
	}
}

package runner

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"qbench/internal/pgserver/pgtest"
	"qbench/runner/script"
)

// Clients whose server processes seem to be now here, now there change loops
// all the time; nothing may be lost by it.
func TestClientsChangeLoops(t *testing.T) {
	t.Parallel()
	dsn, schema := pgtest.Schema(t)
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.RuntimeParams["search_path"] = schema
	ctx := t.Context()
	admin, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	if _, err := admin.Exec(ctx, "create schema "+schema+"; create unlogged table u (client int, session int default pg_backend_pid())").ReadAll(); err != nil {
		t.Fatal(err)
	}
	for _, mode := range Modes {
		syms := script.NewSymbols()
		s, err := script.Parse("test.sql", "begin;\ninsert into u (client) values (:client_id);\nend;\n", syms)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := admin.Exec(ctx, "truncate u").ReadAll(); err != nil {
			t.Fatal(err)
		}
		const clients, transactions = 12, 400
		counts := []OrderCount{NotCounted, CountRows, NotCounted}
		r := &run{ctx: ctx, connect: func(ctx context.Context) (*pgconn.PgConn, error) { return pgconn.ConnectConfig(ctx, config) }, cfg: Config{
			Groups:  []Group{{Name: "consumers", Clients: clients, Scripts: []Script{{Script: s, Weight: 1, Orders: counts}}}},
			Threads: 64, Mode: mode, MaxTries: 1, Seed: 1, Symbols: syms, Transactions: transactions, Interval: 1e9,
		}}
		if r.programs, r.statements, err = compile(&r.cfg); err != nil {
			t.Fatal(err)
		}
		if err := r.makeThreads(); err != nil {
			t.Fatal(err)
		}
		defer r.closePollers()
		if err := r.connectAll(ctx); err != nil {
			t.Fatal(err)
		}
		if len(r.threads) < 2 || r.threads[0].core < 0 {
			t.Skipf("%s needs two cores, and the server on this machine", t.Name())
		}
		r.exchange.where = func(uint32) int { return r.threads[rand.IntN(len(r.threads))].core }
		before := map[*client]*thread{}
		for _, th := range r.threads {
			for _, c := range th.clients {
				before[c] = th
			}
		}
		res := r.drive(ctx, r.base, 0, nil)

		if res.Transactions != clients*transactions || res.Orders != clients*transactions || res.AbortedClients != 0 {
			t.Errorf("%s: %d transactions, %d orders, %d aborted: %v", mode, res.Transactions, res.Orders, res.AbortedClients, res.Errors)
		}
		if res.LatencyHist.Count() != res.Transactions {
			t.Errorf("%s: %d latencies", mode, res.LatencyHist.Count())
		}
		moved, now := 0, 0
		for _, th := range r.threads {
			now += len(th.clients)
			for _, c := range th.clients {
				if c.thread != th || c.group.index != 0 || th.groups[0] != c.group {
					t.Errorf("%s: client %d does not belong to its loop", mode, c.id)
				}
				if before[c] != th {
					moved++
				}
			}
		}
		if now != clients || moved == 0 {
			t.Errorf("%s: %d clients, of which %d changed their loop", mode, now, moved)
		}
		rows, err := admin.Exec(ctx, "select count(*), count(distinct (client, session)), min(n), max(n) from (select client, session, count(*) n from u group by 1, 2) s").ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int{clients, clients, transactions, transactions} {
			if got := string(rows[0].Rows[0][i]); got != strconv.Itoa(want) {
				t.Errorf("%s: column %d is %s, want %d: a client keeps its session", mode, i, got, want)
			}
		}
	}
}

func TestCoreOf(t *testing.T) {
	t.Parallel()
	if core := coreOf(uint32(os.Getpid())); core < 0 {
		t.Errorf("this process is on core %d", core)
	}
	if core := coreOf(1 << 30); core != -1 {
		t.Errorf("a process that is none is on core %d", core)
	}
	for stat, want := range map[string]int{
		"": -1, "1 (a)": -1, "1 (a) b)": -1,
		"28 (a b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 123 0 0": 123,
		"28 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 0":            0,
		"28 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35":              -1,
	} {
		if got := coreIn([]byte(stat)); got != want {
			t.Errorf("%q: core %d, want %d", stat, got, want)
		}
	}
}

// BenchmarkLook is the price of asking where a server process is.
func BenchmarkLook(b *testing.B) {
	pid := uint32(os.Getppid())
	for b.Loop() {
		if coreOf(pid) < 0 {
			b.Fatal("no core")
		}
	}
}

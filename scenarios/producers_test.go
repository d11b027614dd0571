package scenarios_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"qbench/internal/pgserver/pgtest"
	"qbench/runner/script"
	"qbench/scenarios"
	"qbench/schema"
)

func TestEveryWorkloadHasProducers(t *testing.T) {
	t.Parallel()
	shared := map[string]string{}
	for _, w := range schema.Workloads() {
		p, err := scenarios.Producer(w, script.NewSymbols())
		if err != nil {
			t.Fatal(err)
		}
		if p.Workload != w || p.Summary == "" || !p.CountsOrders() || p.Name != "producers/"+w {
			t.Errorf("%s: %+v", w, p)
		}
		for _, name := range []string{"enqueue_batch", "order_seed", "notify"} {
			if !p.HasParam(name) {
				t.Errorf("%s: no param %s", p.Name, name)
			}
		}
		for _, param := range p.Params {
			if param.Help == "" {
				t.Errorf("%s: the param %s has no help", p.Name, param.Name)
			}
			shared[param.Name] = p.Name
		}
	}
	// Producers and strategies of a run share their variables.
	for _, s := range scenarios.List() {
		for _, param := range s.Params {
			if shared[param.Name] != "" {
				t.Errorf("%s and %s both have a param %s", s.Name, shared[param.Name], param.Name)
			}
		}
	}
	if _, err := scenarios.Producer("nonsense", script.NewSymbols()); err == nil {
		t.Error("producers for a workload that does not exist")
	}
}

// TestProducersUnderPgbench runs the producers' files as they stand, and proves
// that what they put in is of the set that the audit expects.
func TestProducersUnderPgbench(t *testing.T) {
	t.Parallel()
	pgbench := pgtest.Pgbench(t)
	for _, w := range schema.Workloads() {
		for _, mode := range []string{"simple", "extended", "prepared"} {
			for _, notify := range []string{"0", "1"} {
				t.Run(fmt.Sprintf("%s/%s/notify=%s", w, mode, notify), func(t *testing.T) {
					t.Parallel()
					produce(t, pgbench, w, mode, notify)
				})
			}
		}
	}
}

func produce(t *testing.T, pgbench, workload string, mode string, notify string) {
	dsn, name := pgtest.Schema(t)
	ctx := context.Background()
	connect := func(ctx context.Context) (*pgx.Conn, error) { return pgx.Connect(ctx, dsn) }
	conn, err := connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	o := schema.Options{Workload: workload, Layout: schema.Unlogged, Schema: name, Orders: 10, Seed: 7}
	if err := schema.Create(ctx, conn, o); err != nil {
		t.Fatal(err)
	}
	if _, err := schema.Seed(ctx, connect, o, nil); err != nil {
		t.Fatal(err)
	}
	p, err := scenarios.Producer(workload, script.NewSymbols())
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-n", "-M", mode, "-c", "3", "-t", "20", "-f", filepath.Join("producers", workload+".sql")}
	for name, value := range p.Variables(0, 0, map[string]string{"enqueue_batch": "4", "order_seed": "7", "notify": notify}) {
		args = append(args, "-D", name+"="+value)
	}
	cmd := exec.Command(pgbench, append(args, dsn)...)
	cmd.Env = append(os.Environ(), "PGOPTIONS=-c search_path="+name)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	made, err := schema.Inspect(ctx, conn, name, workload)
	if err != nil {
		t.Fatal(err)
	}
	a, err := schema.AuditTables(ctx, conn, made, &schema.ClientCounts{Enqueued: 240})
	if err != nil {
		t.Fatal(err)
	}
	if !a.OK || a.Remaining != 250 {
		t.Errorf("%+v", a)
	}
}

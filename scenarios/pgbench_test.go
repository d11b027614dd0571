package scenarios_test

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"qbench/internal/pgserver/pgtest"
	"qbench/internal/result"
	"qbench/scenarios"
	"qbench/schema"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestUnderPgbench runs every shipped file as it stands, on every layout it
// fits and in every query mode that pgbench can run it in, and proves
// exactly-once of what pgbench left behind.
func TestUnderPgbench(t *testing.T) {
	t.Parallel()
	pgbench := pgtest.Pgbench(t)
	for _, s := range scenarios.List() {
		for _, layout := range s.Layouts {
			for _, mode := range []string{"simple", "extended", "prepared"} {
				t.Run(s.Name+"/"+layout+"/"+mode, func(t *testing.T) {
					t.Parallel()
					underPgbench(t, pgbench, s, layout, mode)
				})
			}
		}
	}
}

func underPgbench(t *testing.T, pgbench string, s *scenarios.Scenario, layout string, mode string) {
	const clients, transactions, partitions, orders = 4, 40, 8, 120
	_, why := s.PgbenchLine(scenarios.Invocation{Mode: mode})
	if mode == "simple" && why != "" {
		t.Fatalf("does not run in simple mode: %s", why)
	}
	dsn, name := pgtest.Schema(t)
	ctx := context.Background()
	connect := func(ctx context.Context) (*pgx.Conn, error) { return pgx.Connect(ctx, dsn) }
	conn, err := connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	o := schema.Options{
		Workload: s.Workload, Layout: layout, Unlogged: true, Schema: name,
		Orders: orders, Seed: 7, Functions: s.Functions,
	}
	if layout == schema.Partitioned {
		o.Partitions = partitions
	}
	if err := schema.Create(ctx, conn, o); err != nil {
		t.Fatal(err)
	}
	if _, err := schema.Seed(ctx, connect, o, nil); err != nil {
		t.Fatal(err)
	}
	before := audit(t, conn, s, name)

	// The words of PgbenchLine, with the folder that the test runs in.
	args := []string{"-n", "-M", mode, "-c", strconv.Itoa(clients), "-t", strconv.Itoa(transactions), "-f", s.Name + ".sql"}
	given := map[string]string{}
	if s.HasParam("work") {
		given = map[string]string{"work": "50", "work_exp": "1"}
	}
	for name, value := range s.Variables(clients, o.Partitions, given) {
		args = append(args, "-D", name+"="+value)
	}
	cmd := exec.Command(pgbench, append(args, dsn)...)
	cmd.Env = append(os.Environ(), "PGOPTIONS=-c search_path="+name)
	out, err := cmd.CombinedOutput()
	if why != "" {
		if err == nil {
			t.Fatalf("pgbench ran it, although %s", why)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	after := audit(t, conn, s, name)
	if before.Remaining != orders || after.Processed == 0 {
		t.Errorf("%d orders at first, %d processed", before.Remaining, after.Processed)
	}
	switch s.Name {
	case "for-update", "skip-locked", "skip-locked-single", "skip-locked-batch":
		// Locks on row versions miss no order, and there are transactions enough.
		if after.Remaining > 0 {
			t.Errorf("%d orders left", after.Remaining)
		}
	case "partitioned", "partitioned-function":
		// A client each for half of the partitions: the other half starves.
		untouched(t, conn, s, name, partitions-clients)
	case "partitioned-skip-locked":
		untouched(t, conn, s, name, 0)
	}
}

func untouched(t *testing.T, conn *pgx.Conn, s *scenarios.Scenario, name string, want int) {
	t.Helper()
	made, err := schema.Inspect(t.Context(), conn, name, s.Workload)
	if err != nil {
		t.Fatal(err)
	}
	use, err := schema.PartitionUse(t.Context(), conn, made)
	if err != nil {
		t.Fatal(err)
	}
	if use.Untouched != want {
		t.Errorf("%d partitions untouched, want %d", use.Untouched, want)
	}
}

func audit(t *testing.T, conn *pgx.Conn, s *scenarios.Scenario, name string) *result.Audit {
	t.Helper()
	ctx := context.Background()
	made, err := schema.Inspect(ctx, conn, name, s.Workload)
	if err != nil {
		t.Fatal(err)
	}
	a, err := schema.AuditTables(ctx, conn, made, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !a.OK {
		t.Fatalf("audit: %v", a.Problems)
	}
	return a
}

// Package pgtest gives tests a real PostgreSQL: one disposable server for a whole test binary, and a schema name for
// each test, so that tests run in parallel on it.
//
// $QBENCH_TEST_DSN names a server to use instead. Where there is none and no binaries either, a test is skipped and says why;
// where $CI is set it fails, because a check that silently tests nothing is worse than none.
package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"qbench/internal/pgserver"
)

// dsnVar is the environment variable that names a server to use instead of a disposable one.
const dsnVar = "QBENCH_TEST_DSN"

// connections are enough for the tests of one package, which run at most GOMAXPROCS at a time.
const connections = 200

// settings trade what tests don't need, durability and memory, for speed and for room beside other packages' servers.
var settings = []string{"fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=128MB"}

var shared = sync.OnceValues(func() (*pgserver.Server, error) {
	return pgserver.Start(context.Background(), pgserver.Options{MaxClients: connections, LocksPerClient: 128, Settings: settings})
})

// started says whether shared was ever asked, so that [Main] doesn't start a server only to stop it.
var started sync.Once

// Main runs a package's tests and then stops the shared server: func TestMain(m *testing.M) { pgtest.Main(m) }. Without
// it, or after a panic, the server's guard does the same a moment after the test binary has ended.
func Main(m *testing.M) {
	m.Run() // the testing package exits with its result
	unused := false
	started.Do(func() { unused = true })
	if unused {
		return
	}
	if server, err := shared(); err == nil {
		if err := server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// DSN names the server that all tests of this binary share; it starts at the first call.
func DSN(tb testing.TB) string {
	tb.Helper()
	if dsn := os.Getenv(dsnVar); dsn != "" {
		return dsn
	}
	started.Do(func() {})
	server, err := shared()
	switch {
	case errors.Is(err, pgserver.ErrNoBinaries) && os.Getenv("CI") == "":
		tb.Skipf("%s needs PostgreSQL: %v", tb.Name(), err)
	case err != nil:
		tb.Fatalf("%s needs PostgreSQL: %v", tb.Name(), err)
	}
	return server.DSN()
}

// Schema returns the shared server and the name of a schema that nobody else uses. The schema doesn't exist yet; if the
// test makes it, it is dropped with everything in it when the test has ended.
func Schema(tb testing.TB) (dsn, schema string) {
	tb.Helper()
	dsn = DSN(tb)
	schema = "qbtest_" + strings.ToLower(rand.Text()[:12])
	tb.Cleanup(func() {
		ctx := context.Background()
		conn, err := pgconn.Connect(ctx, dsn)
		if err != nil {
			tb.Errorf("drop schema %s: %v", schema, err)
			return
		}
		_, err = conn.Exec(ctx, "set client_min_messages = warning; drop schema if exists "+schema+" cascade").ReadAll()
		if err := errors.Join(err, conn.Close(ctx)); err != nil {
			tb.Errorf("drop schema %s: %v", schema, err)
		}
	})
	return dsn, schema
}

package pgtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// poolerPort only names the socket file; nothing listens on TCP.
const poolerPort = 6432

// guardedPooler runs pgbouncer for as long as its standard input is open, so that it ends with the test binary however that
// ends.
const guardedPooler = `"$@" & read -r _; kill "$!"; wait "$!"`

// Pgbouncer starts a pgbouncer in front of the shared server, in pool_mode mode and with more lines of its configuration,
// and returns the connection string for a database. Where there is none the test is skipped and says so; where $CI is set it
// fails.
func Pgbouncer(tb testing.TB, database, mode string, lines ...string) string {
	tb.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/pgbouncer")
	}
	if err != nil {
		const lacking = "%s needs pgbouncer, which is neither on PATH nor in /usr/sbin"
		if os.Getenv("CI") != "" {
			tb.Fatalf(lacking, tb.Name())
		}
		tb.Skipf(lacking, tb.Name())
	}
	server, err := pgconn.ParseConfig(DSN(tb))
	if err != nil {
		tb.Fatal(err)
	}
	// Not tb.TempDir: a socket's path has to be short, and root's folders are closed to others.
	folder, err := os.MkdirTemp("", "qbpool")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(folder) })
	args := []string{"-c", guardedPooler, "sh", program, "-q"}
	if os.Geteuid() == 0 { // pgbouncer refuses to run as root
		account := unprivileged(tb, folder)
		args = append(args, "-u", account)
	}
	to := fmt.Sprintf("host='%s' port=%d user='%s'", server.Host, server.Port, server.User)
	if server.Password != "" {
		to += " password='" + server.Password + "'"
	}
	config := filepath.Join(folder, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\n* = %s\n[pgbouncer]\nlisten_addr =\nlisten_port = %d\nunix_socket_dir = %s\nauth_type = any\npool_mode = %s\n%s\n",
		to, poolerPort, folder, mode, strings.Join(lines, "\n"))
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
	var log strings.Builder
	cmd := exec.Command("/bin/sh", append(args, config)...)
	cmd.Stdout, cmd.Stderr = &log, &log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
		if tb.Failed() {
			tb.Logf("pgbouncer:\n%s", log.String())
		}
	})
	dsn := fmt.Sprintf("host=%s port=%d user=%s dbname=%s sslmode=disable", folder, poolerPort, server.User, database)
	awaitPooler(tb, filepath.Join(folder, fmt.Sprintf(".s.PGSQL.%d", poolerPort)), dsn)
	return dsn
}

// unprivileged is the user that pgbouncer runs as instead of root, and gets the folder.
func unprivileged(tb testing.TB, folder string) string {
	tb.Helper()
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(u.Uid)
		gid, gidErr := strconv.Atoi(u.Gid)
		if uidErr != nil || gidErr != nil {
			continue
		}
		if err := os.Chown(folder, uid, gid); err != nil {
			tb.Fatal(err)
		}
		return name
	}
	tb.Fatal("pgbouncer refuses to run as root, and there is neither a user postgres nor a user nobody")
	return ""
}

// awaitPooler waits until the pooler answers. The time limit is for one that never does.
func awaitPooler(tb testing.TB, socket, dsn string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgconn.Connect(ctx, dsn)
		if err == nil {
			_ = conn.Close(ctx)
			return
		}
		select {
		case <-ctx.Done():
			tb.Fatalf("pgbouncer does not answer on %s: %v", socket, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

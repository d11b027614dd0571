package pgbench

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestWhereToConnect(t *testing.T) {
	t.Parallel()
	type target struct {
		host           string
		port           uint16
		user, database string
	}
	for _, c := range []struct {
		args []string
		want target
	}{
		{[]string{"-h", "h", "-p", "77", "-U", "u", "-d", "d"}, target{"h", 77, "u", "d"}},
		{[]string{"-h", "/tmp/a b", "-p", "77", "-U", `it's\`, `a'b\`}, target{"/tmp/a b", 77, `it's\`, `a'b\`}},
		{[]string{"-h", "h", "-p", "77", "-U", "u", "host=other dbname='d e'"}, target{"other", 77, "u", "d e"}},
		{[]string{"-h", "h", "-p", "77", "-U", "u", "postgres://other:88/d"}, target{"other", 88, "u", "d"}},
		{[]string{"-h", "h", "-p", "77", "-U", "u", "postgresql://v@/d"}, target{"h", 77, "v", "d"}},
		{[]string{"-h", "h", "-p", "77", "postgresql:///d?user=q&host=/x"}, target{"/x", 77, "q", "d"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			cfg, err := pgconn.ParseConfig(read(t, c.args...).connectionString())
			if err != nil {
				t.Fatal(err)
			}
			if got := (target{cfg.Host, cfg.Port, cfg.User, cfg.Database}); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestFailedConnections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no socket": {
			[]string{"-h", "/nosuch", "-p", "77", "-U", "u", "d"},
			`pgbench: error: connection to server on socket "/nosuch/.s.PGSQL.77" failed: No such file or directory` + "\n" +
				"\tIs the server running locally and accepting connections on that socket?\n" +
				"pgbench: error: could not create connection for setup\n",
		},
		"nobody listens": {
			[]string{"-h", "127.0.0.1", "-p", "1", "-U", "u", "d"},
			`pgbench: error: connection to server at "127.0.0.1", port 1 failed: Connection refused` + "\n" +
				"\tIs the server running on that host and accepting TCP/IP connections?\n" +
				"pgbench: error: could not create connection for setup\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := ours(t.Context(), c.args...); got.Status != 1 || got.Stdout != "" || got.Stderr != c.want {
				t.Errorf("status %d, stdout %q, stderr:\n%s\nwant:\n%s", got.Status, got.Stdout, got.Stderr, c.want)
			}
		})
	}
}

func TestPasswordsAreNotShown(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{
		"postgres://u:s3cret@127.0.0.1:1/d", "host=127.0.0.1 port=1 password=s3cret user=u", "postgres://u:s3cret@h:x/d", "password=s3cret port=x",
		"host=127.0.0.1 port=1 user=u password='s3cret",
	} {
		if got := ours(t.Context(), "--debug", dsn); got.Status != 1 || strings.Contains(got.Stderr+got.Stdout, "s3cret") {
			t.Errorf("%s: status %d: %s%s", dsn, got.Status, got.Stdout, got.Stderr)
		}
	}
}

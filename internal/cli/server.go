package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qbench/internal/bench"
	"qbench/internal/pgserver"
	"qbench/runner"
)

const defaultRecovery = "60s"

// serverFlags choose the server.
func serverFlags() []cli.Flag {
	return append(namedServerFlags(),
		&cli.StringSliceFlag{Name: "pg-setting", Category: categoryServer, Usage: "`NAME=VALUE`: a setting of the started server, such as fsync=off; repeatable"},
		&cli.StringFlag{Name: "pg-bindir", Category: categoryServer, Usage: "`DIR`: folder of initdb and postgres", DefaultText: "PATH, pg_config, the usual places"},
		&cli.StringFlag{Name: "recovery-timeout", Category: categoryServer, Value: defaultRecovery, Usage: "`TIME`: longest wait after the load, in seconds or as 5m, for a server that restarts or recovers from a crash, and for server processes of the load that have not ended; then the run is NOT AUDITED"},
		&cli.BoolFlag{Name: "keep-server", Category: categoryServer, Usage: "leave the started server running, and say how to connect to it and how to stop it"},
	)
}

// namedServerFlags are for commands that make sense only on a server that is
// there.
func namedServerFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "dsn", Category: categoryServer, Usage: "`DSN`: the server, as postgres://USER@HOST:PORT/DATABASE or host=HOST dbname=DATABASE; what it leaves out comes from libpq's variables (PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE, PGSERVICE) and ~/.pgpass"},
	}
}

// serverVariables are libpq's variables that name a server. PGUSER and
// PGPASSWORD alone say who, not where, and so name none.
var serverVariables = []string{"PGHOST", "PGPORT", "PGDATABASE", "PGSERVICE"}

// serverOptions say which server to use.
type serverOptions struct {
	dsn        string
	named      bool // by --dsn or a variable
	schema     string
	disposable pgserver.Options
}

// readServer reads the flags of serverFlags and schemaFlag.
func readServer(v *values) serverOptions {
	o := serverOptions{dsn: v.text("dsn"), named: v.given("dsn"), schema: v.text("schema-name")}
	by := "--dsn"
	for _, name := range serverVariables {
		if !o.named && os.Getenv(name) != "" {
			o.named, by = true, name
		}
	}
	for _, flag := range []string{"pg-setting", "pg-bindir", "keep-server"} {
		if o.named && v.given(flag) {
			v.fail("--%s is for the server that qbench starts, but %s names one: leave one of the two out", flag, by)
		}
	}
	o.disposable = pgserver.Options{
		BinDir: v.text("pg-bindir"), Settings: v.c.StringSlice("pg-setting"), Keep: v.c.Bool("keep-server"),
	}
	return o
}

// readRecovery reads --recovery-timeout.
func readRecovery(v *values) time.Duration {
	d := v.duration("recovery-timeout", time.Second)
	if d == 0 {
		v.fail("--recovery-timeout %q: use a time above 0", v.text("recovery-timeout"))
	}
	return d
}

// errNoServer is for commands that need a server which is there.
func errNoServer(command string) error {
	return fmt.Errorf("no server is named, and on one that is started for the command alone \"qbench %s\" makes no sense: name one with --dsn or %s",
		command, strings.Join(serverVariables, ", "))
}

// server is the server of a command; close it on every path.
type server struct {
	*bench.Target
	disposable *pgserver.Server // nil for a named one
}

// open starts a server if none is named. It makes no connection to a named one.
func (o serverOptions) open(ctx context.Context, con *console) (*server, error) {
	if o.named {
		// As with libpq, the connection string wins over the variable.
		if !strings.Contains(o.dsn, "gssencmode") {
			if err := runner.CheckGSSEncryption("PGGSSENCMODE", os.Getenv("PGGSSENCMODE")); err != nil {
				return nil, err
			}
		}
		t, err := bench.NewTarget(o.dsn, o.schema)
		if err != nil {
			return nil, err
		}
		if t.Warning != "" {
			con.note("%s", t.Warning)
		}
		return &server{Target: t}, nil
	}
	s, err := pgserver.Start(ctx, o.disposable)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return nil, bench.ErrStopped
		}
		return nil, err
	}
	line := "started PostgreSQL " + s.Version()
	if changed := s.ChangedSettings(); len(changed) > 0 {
		line += " with " + strings.Join(changed, ", ")
	}
	con.note("%s", line)
	if o.disposable.Keep {
		con.note("it stays; to connect: %s", s.HowToConnect())
		con.note("to stop it: %s", s.HowToStop())
	}
	t, err := bench.NewTarget(s.DSN(), o.schema)
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	t.Disposable = true
	return &server{t, s}, nil
}

func (s *server) close() error {
	if s.disposable == nil {
		return nil
	}
	return s.disposable.Stop()
}

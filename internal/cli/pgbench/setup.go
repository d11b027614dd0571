package pgbench

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"qbench/internal/result"
	"qbench/runner"

	"github.com/jackc/pgx/v5/pgconn"
)

// tables is what is known about pgbench's tables before the run.
type tables struct {
	scale           int
	partitionMethod string // "" if pgbench_accounts is not partitioned
	partitions      int
}

// setup does what comes before the run over a connection of its own: the
// banner, the scale of the tables, and vacuuming them.
func (o *options) setup(ctx context.Context, s *server) (tables, error) {
	info := tables{scale: o.scale}
	conn, err := s.connect(ctx)
	if err != nil {
		return info, fatalf("%s", err).and(levelError, "could not create connection for setup")
	}
	defer conn.Close(ctx)
	fmt.Fprintf(o.console.out, "%s (%s, server %s)\n", name, o.version(), conn.ParameterStatus("server_version"))
	if o.debug {
		count, what := o.transactions, "nxacts"
		if o.duration > 0 {
			count, what = o.duration, "duration"
		}
		o.console.message(levelDebug, fmt.Sprintf("pghost: %s pgport: %d nclients: %d %s: %d dbName: %s",
			s.config.Host, s.config.Port, o.clients, what, count, s.database()))
	}
	if o.builtinUsed {
		if err := o.inspect(ctx, conn, s.database(), &info); err != nil {
			return info, err
		}
	}
	if !o.noVacuum {
		o.vacuum(ctx, conn)
	}
	return info, nil
}

const undefinedTable = "42P01"

// inspect finds out how large pgbench's tables are.
func (o *options) inspect(ctx context.Context, conn *pgconn.PgConn, database string, info *tables) error {
	missing := fmt.Sprintf(`Perhaps you need to do initialization ("pgbench -i") in database "%s".`, database)
	const count = "select count(*) from pgbench_branches"
	rows, err := query(ctx, conn, count)
	if err != nil {
		e := fatalf("could not count number of branches: %s", errorText(err, count))
		var said *pgconn.PgError
		if errors.As(err, &said) && said.Code == undefinedTable {
			e.and(levelHint, "%s", missing)
		}
		return e
	}
	if info.scale, err = strconv.Atoi(string(rows[0][0])); err != nil {
		return fatalf(`invalid count(*) from pgbench_branches: "%s"`, rows[0][0])
	}
	if o.scaleGiven {
		o.console.message(levelWarning, fmt.Sprintf("scale option ignored, using count from pgbench_branches table (%d)", info.scale))
	}
	return inspectPartitions(ctx, conn, missing, info)
}

func inspectPartitions(ctx context.Context, conn *pgconn.PgConn, missing string, info *tables) error {
	rows, err := query(ctx, conn, `
		select p.partstrat, (select pg_catalog.count(*) from pg_catalog.pg_inherits as i where i.inhparent = c.oid)
		from pg_catalog.pg_class as c left join pg_catalog.pg_partitioned_table as p on p.partrelid = c.oid
		where c.oid = pg_catalog.to_regclass('pgbench_accounts')`)
	if err != nil {
		return nil // a server from before there were partitions
	}
	if len(rows) == 0 {
		return fatalf("no pgbench_accounts table found in search_path").and(levelHint, "%s", missing)
	}
	switch strategy := string(rows[0][0]); strategy {
	case "":
		return nil
	case "r":
		info.partitionMethod = "range"
	case "h":
		info.partitionMethod = "hash"
	default:
		return fatalf(`unexpected partition method: "%s"`, strategy)
	}
	info.partitions, err = strconv.Atoi(string(rows[0][1]))
	return err
}

// vacuum tidies pgbench's tables up. They may be missing where scripts do not
// use them; pgbench says so and goes on.
func (o *options) vacuum(ctx context.Context, conn *pgconn.PgConn) {
	try := func(sql string) {
		if _, err := query(ctx, conn, sql); err != nil {
			o.console.message(levelError, errorText(err, sql))
			o.console.message(levelDetail, "(ignoring this error and continuing anyway)")
		}
	}
	o.console.printError("starting vacuum...")
	try("vacuum pgbench_branches")
	try("vacuum pgbench_tellers")
	try("truncate pgbench_history")
	o.console.printError("end.\n")
	if o.vacuumAll {
		o.console.printError("starting vacuum pgbench_accounts...")
		try("vacuum analyze pgbench_accounts")
		o.console.printError("end.\n")
	}
}

// query runs one statement in the simple protocol and returns its rows.
func query(ctx context.Context, conn *pgconn.PgConn, sql string) ([][][]byte, error) {
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	return results[len(results)-1].Rows, nil
}

// errorText is an SQL error as psql shows it, any other one as it is.
func errorText(err error, sql string) string {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return runner.ErrorText(said, sql)
	}
	return err.Error()
}

// describe adds to the result what only the command line and the setup know.
func (o *options) describe(res *result.Run, info tables) {
	res.ScaleFactor = info.scale
	res.PgbenchPartitionMethod, res.PgbenchPartitions = info.partitionMethod, info.partitions
	res.ShowProgress = o.progress > 0
	res.FailuresDetailed = o.failuresDetailed
}

package cli

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"qbench/internal/bench"
	"qbench/runner"
	"qbench/scenarios"
	"qbench/schema"
)

// workload is what init makes and check audits; there is no other one yet.
const workload = "orders"

// onServer runs a command on a server that is there.
func (a *app) onServer(v *values, do func(s *server, con *console, signals *interrupts) error) error {
	o := readServer(v)
	if err := v.mistake(); err != nil {
		return err
	}
	if !o.named {
		return errNoServer(v.c.Command.Name)
	}
	con := newConsole(a.stderr)
	signals := watchInterrupts(v.c.Context, func(os.Signal) {})
	defer signals.release()
	srv, err := o.open(signals.stop, con)
	if err != nil {
		return err
	}
	err = do(srv, con, signals)
	con.hide()
	if err != nil && signals.stop.Err() != nil {
		return withStatus(StatusInterrupted, fmt.Errorf("interrupted: %w", err))
	}
	return err
}

func (a *app) initCommand() *cli.Command {
	flags := append(queueFlags(schema.Plain), namedServerFlags()...)
	return &cli.Command{
		Name: "init", Usage: "make the tables of the queue and seed them",
		Description: "Replaces tables that qbench made before, and touches no others. \"qbench run\" does this by itself, before each run; " +
			"with --keep-data it runs on what is there.",
		Flags: flags,
		Action: func(c *cli.Context) error {
			v := &values{c: c}
			o := readQueue(v)
			o.Workload = workload
			for _, s := range scenarios.List() {
				if s.Workload == workload {
					o.Functions = append(o.Functions, s.Functions...)
				}
			}
			if o.Layout != schema.Partitioned {
				if v.given("partitions") {
					v.fail("--partitions is for the layout partitioned: give --layout partitioned, or leave it out")
				}
				o.Functions = nil
			}
			o, err := o.Normalize()
			if err != nil {
				v.fail("%w", err)
			}
			return a.onServer(v, func(s *server, con *console, signals *interrupts) error {
				conn, err := s.Connect(signals.stop)
				if err != nil {
					return err
				}
				defer conn.Close(c.Context)
				return s.Make(signals.stop, conn, o, bench.Hooks{Seeding: con.seeding, Seeded: con.seeded})
			})
		},
	}
}

func (a *app) cleanCommand() *cli.Command {
	return &cli.Command{
		Name: "clean", Usage: "drop what qbench made",
		Description: "Drops the tables and functions that bear qbench's mark (a comment on them), and the schema if qbench made it and nothing else is in it.",
		Flags:       append([]cli.Flag{schemaFlag()}, namedServerFlags()...),
		Action: func(c *cli.Context) error {
			return a.onServer(&values{c: c}, func(s *server, con *console, signals *interrupts) error {
				conn, err := s.Connect(signals.stop)
				if err != nil {
					return err
				}
				defer conn.Close(c.Context)
				dropped, err := schema.Drop(signals.stop, conn, s.Schema)
				if err != nil {
					return err
				}
				for _, what := range dropped {
					fmt.Fprintf(a.stdout, "dropped %s\n", what)
				}
				if len(dropped) == 0 {
					fmt.Fprintln(a.stdout, "nothing here was made by qbench")
				}
				return nil
			})
		},
	}
}

func (a *app) checkCommand() *cli.Command {
	return &cli.Command{
		Name: "check", Usage: "audit the tables as they are",
		Description: "Proves that each order of the seeded set is in exactly one of the tables, exactly once, and that nothing else is in them. Exit status 4 if not.",
		Flags:       append([]cli.Flag{schemaFlag()}, namedServerFlags()...),
		Action: func(c *cli.Context) error {
			return a.onServer(&values{c: c}, func(s *server, con *console, signals *interrupts) error {
				conn, err := s.Connect(signals.stop)
				if err != nil {
					return err
				}
				defer conn.Close(c.Context)
				made, err := schema.Inspect(signals.stop, conn, s.Schema, workload)
				if err != nil {
					return err
				}
				if made == nil {
					return fmt.Errorf("there is no queue that qbench made on %s: make one with \"qbench init\", or name its schema with --schema-name", s)
				}
				con.show("auditing")
				audit, err := schema.AuditTables(signals.stop, conn, made, nil)
				if err != nil {
					return err
				}
				con.hide()
				return a.printAudit(audit, made)
			})
		},
	}
}

// printAudit prints the audit of tables that no run of this process used.
func (a *app) printAudit(audit *runner.Audit, made *schema.Made) error {
	fmt.Fprintf(a.stdout, "queue in schema %s, layout %s: seeded %s, processed %s, remaining %s\n",
		made.Schema, made.Layout, grouped(audit.Seeded), grouped(audit.Processed), grouped(audit.Remaining))
	if audit.OK {
		fmt.Fprintln(a.stdout, "audit ok: each order is in exactly one table, exactly once")
		return nil
	}
	fmt.Fprintln(a.stdout, "AUDIT FAILED")
	for _, p := range audit.Problems {
		fmt.Fprintf(a.stdout, "  - %s\n", p)
	}
	return withStatus(StatusAudit, nil)
}

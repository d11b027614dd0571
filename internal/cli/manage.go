package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"qbench/internal/amount"
	"qbench/internal/bench"
	"qbench/internal/result"
	"qbench/scenarios"
	"qbench/schema"
)

// workload is what init makes without --workload, and what the strategies of
// "all" run on.
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
	if errors.Is(err, bench.ErrStopped) {
		return withStatus(StatusInterrupted, err)
	}
	if err != nil && signals.stop.Err() != nil {
		return withStatus(StatusInterrupted, fmt.Errorf("interrupted: %w", err))
	}
	return err
}

func (a *app) initCommand() *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "workload", Category: categoryQueue, Value: workload, Usage: "`NAME`: " + strings.Join(schema.Workloads(), ", ")},
	}
	flags = append(flags, queueFlags(schema.Plain)...)
	flags = append(flags, namedServerFlags()...)
	return &cli.Command{
		Name: "init", Usage: "make the tables of the queue and seed them",
		Description: "Replaces tables that qbench made before, and touches no others. \"qbench run\" does this by itself, before each run; " +
			"with --keep-data it runs on what is there.",
		Flags: flags,
		Action: func(c *cli.Context) error {
			v := &values{c: c}
			o := readQueue(v)
			o.Workload = v.text("workload")
			if o.Layout != schema.Partitioned && v.given("partitions") {
				v.fail("--partitions is for the layout partitioned: give --layout partitioned, or leave it out")
			}
			layout := o.Layout
			if layout == "" {
				layout = schema.Plain
			}
			for _, s := range scenarios.List() {
				if s.Workload == o.Workload && s.Fits(layout) == nil {
					o.Functions = append(o.Functions, s.Functions...)
				}
			}
			o, err := o.Normalize()
			if err != nil {
				v.fail("%w", err)
			}
			return a.onServer(v, func(s *server, con *console, signals *interrupts) error {
				lock, err := s.Lock(signals.stop)
				if err != nil {
					return err
				}
				defer lock.Release(c.Context)
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
		Description: "Drops the tables and functions that bear qbench's mark (a comment on them), and the schema if qbench made it and nothing else is in it. " +
			"Objects that were renamed since are kept and named. A queue in use by a qbench run is refused.",
		Flags: append([]cli.Flag{schemaFlag()}, namedServerFlags()...),
		Action: func(c *cli.Context) error {
			return a.onServer(&values{c: c}, func(s *server, con *console, signals *interrupts) error {
				lock, err := s.Lock(signals.stop)
				if err != nil {
					return err
				}
				defer lock.Release(c.Context)
				conn, err := s.Connect(signals.stop)
				if err != nil {
					return err
				}
				defer conn.Close(c.Context)
				dropped, kept, err := schema.Drop(signals.stop, conn, s.Schema)
				if err != nil {
					return err
				}
				for _, what := range dropped {
					fmt.Fprintf(a.stdout, "dropped %s\n", what)
				}
				for _, what := range kept {
					fmt.Fprintf(a.stdout, "kept %s: it was renamed after qbench made it\n", what)
				}
				if len(dropped)+len(kept) == 0 {
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
		Description: "Proves that each order of the set is in exactly one of the tables, exactly once, and that nothing else is in them, " +
			"for every workload whose queue is in the schema, and counts the orders that are claimed but not completed. " +
			"The clients' counts of the runs on the queue are kept with its tables: every order that was acknowledged to a client must be recorded as done. " +
			"Exit status 4 if a proof fails, and 2 (NOT AUDITED) if a run's counts are missing because it is still going on, or was killed.",
		Flags: append([]cli.Flag{schemaFlag()}, namedServerFlags()...),
		Action: func(c *cli.Context) error {
			return a.onServer(&values{c: c}, func(s *server, con *console, signals *interrupts) error {
				conn, err := s.Connect(signals.stop)
				if err != nil {
					return err
				}
				defer conn.Close(c.Context)
				found, status := false, StatusOK
				for _, name := range schema.Workloads() {
					made, err := schema.Inspect(signals.stop, conn, s.Schema, name)
					if err != nil {
						return err
					}
					if made == nil {
						continue
					}
					found = true
					con.show("auditing")
					audit, made, err := s.CheckQueue(signals.stop, conn, made)
					if err != nil {
						return err
					}
					con.hide()
					status = worse(status, a.printAudit(audit, made))
				}
				if !found {
					return fmt.Errorf("there is no queue that qbench made on %s: make one with \"qbench init\", or name its schema with --schema-name", s)
				}
				return withStatus(status, nil)
			})
		},
	}
}

// printAudit prints the audit of tables that no run of this process used.
func (a *app) printAudit(audit *result.Audit, made *schema.Made) Status {
	fmt.Fprintf(a.stdout, "queue of the workload %s in schema %s, layout %s: seeded %s, processed %s, remaining %s\n",
		made.Workload, made.Schema, made.Layout, amount.Grouped(audit.Seeded), amount.Grouped(audit.Processed), amount.Grouped(audit.Remaining))
	if audit.Orphans > 0 {
		back := ""
		if made.Workload == "claims" {
			back = "; --strategy claim-reclaim gives them back"
		}
		fmt.Fprintf(a.stdout, "claimed but not completed: %s (of workers that were lost, unless some are at work now%s)\n", amount.Grouped(audit.Orphans), back)
	}
	if l := made.Ledger; l != nil && l.Runs > 0 {
		fmt.Fprintf(a.stdout, "acknowledged to the clients of %s: %s, in doubt %s\n", amount.Count(l.Runs, "run"), amount.Grouped(l.Acknowledged), amount.AtLeast(l.InDoubt, l.InDoubtUnknown))
	}
	if audit.OK {
		fmt.Fprintln(a.stdout, "audit ok: each order is in exactly one table, exactly once")
		return StatusOK
	}
	if !audit.Made() {
		fmt.Fprintf(a.stdout, "NOT AUDITED: %s\n", audit.Reason)
		return StatusIncomplete
	}
	fmt.Fprintln(a.stdout, "AUDIT FAILED")
	for _, p := range audit.Problems {
		fmt.Fprintf(a.stdout, "  - %s\n", p)
	}
	return StatusAudit
}

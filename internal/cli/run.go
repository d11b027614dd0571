package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"qbench/internal/amount"
	"qbench/internal/bench"
	"qbench/internal/result"
	"qbench/report"
)

func (a *app) runCommand() *cli.Command {
	var flags []cli.Flag
	flags = append(flags, strategyFlags()...)
	flags = append(flags, loadFlags()...)
	flags = append(flags, openLoopFlags()...)
	flags = append(flags, feedFlags()...)
	flags = append(flags, queueFlags("plain, or the strategy's own")...)
	flags = append(flags, setupFlag())
	flags = append(flags, serverFlags()...)
	flags = append(flags, reportFlags()...)
	flags = append(flags, messageFlags()...)
	return &cli.Command{
		Name:  "run",
		Usage: "run strategies on a queue and report orders per second",
		Description: "Makes the queue anew and seeds it, connects the clients, runs until the time is over, each client has done its " +
			"transactions or the queue is drained, proves from the tables that each order was handled exactly once, and prints the report.\n\n" +
			"LIST is one value or several with commas between; several make a matrix of runs, which ends in one table. " +
			"The first Ctrl-C ends the load, audits and reports; the second reports immediately, without an audit (NOT AUDITED).\n\n" +
			"  qbench run --strategy skip-locked -c 256\n  qbench run --strategy for-update,skip-locked -c 1,8,64 --json result.json",
		Flags:  flags,
		Action: a.run,
	}
}

// run is the command: read everything, check everything, then measure.
func (a *app) run(c *cli.Context) error {
	v := &values{c: c}
	specs := readSpecs(v)
	out := a.readOutput(v, report.OfRuns)
	server := readServer(v)
	logs := readLogs(v, len(specs))
	limits := readThresholds(v)
	limits.refuse(v, specs)
	if err := v.mistake(); err != nil {
		return err
	}
	if out.folder != nil {
		out.folder.Title = strategiesOf(specs)
	}
	if err := errors.Join(logs.check(), limits.check()); err != nil {
		return err
	}
	return a.measure(c.Context, out, func(s *session) error {
		m := &matrix{session: s, specs: specs, logs: logs, limits: limits, file: &result.File{Format: result.Format}}
		return m.run(server)
	})
}

// matrix is the runs of one command.
type matrix struct {
	*session
	specs  []bench.Spec
	logs   logOptions
	limits thresholds
	file   *result.File
	// lost is the error of a result other than the report that could not be written.
	lost error
}

// run opens the server, does all runs, and prints what came out.
func (m *matrix) run(o serverOptions) error {
	srv, err := m.open(o, m.specs...)
	if err != nil {
		return m.ended(err)
	}
	if err := srv.Check(m.signals.stop, m.specs); err != nil {
		return m.ended(err)
	}
	if m.file.Environment, err = m.environment(srv); err != nil {
		return m.ended(err)
	}
	status := StatusOK
	var failure error
	for i, spec := range m.specs {
		res, err := m.one(srv, i, spec)
		if res != nil {
			m.file.Runs = append(m.file.Runs, res)
			if spec.OpenLoop {
				m.con.note("open loop: %.1f of %d clients were at work on average, %s starts were skipped", report.BusyClients(res), res.Clients, amount.Grouped(res.Skipped))
			}
			status = worse(status, resultStatus(res))
			if more := i < len(m.specs)-1 && err == nil && m.signals.stop.Err() == nil; more {
				m.save()
			}
			m.summary(i, res)
		}
		if err != nil {
			if len(m.file.Runs) == 0 {
				return m.ended(err)
			}
			// What was measured before is worth a report all the same.
			if failure = m.ended(err); statusOf(failure) == StatusInterrupted {
				status = worse(status, StatusInterrupted)
			}
			status = worse(status, StatusIncomplete)
			break
		}
		if m.signals.stop.Err() != nil {
			status = worse(status, StatusInterrupted)
			break
		}
	}
	if failure == nil && m.signals.now.Err() != nil {
		failure = m.ended(nil)
	}
	lost := errors.Join(m.lost, m.write(m.file))
	checked, err := m.limits.apply(m.app.stderr, m.file.Runs)
	lost = errors.Join(lost, err)
	return withStatus(orLost(worse(status, checked), lost), errors.Join(failure, lost))
}

// save keeps what was measured until now. The runs go on if that fails, since
// the report is still to come, and the file is written again at the end.
func (m *matrix) save() {
	if err := m.out.save(m.file, false); err != nil {
		m.con.note("qbench: warning: %v; the runs go on", err)
	}
}

// one does a run with its log.
func (m *matrix) one(srv *server, i int, spec bench.Spec) (*result.Run, error) {
	title := spec.String()
	if m.specs[len(m.specs)-1].Repeat > 1 {
		title += fmt.Sprintf(", repeat %d", spec.Repeat)
	}
	if len(m.specs) > 1 {
		title = fmt.Sprintf("[%d/%d] %s", i+1, len(m.specs), title)
	} else {
		title = "running " + title
	}
	log, err := m.logs.open(i, spec)
	if err != nil {
		return nil, err
	}
	if log != nil {
		spec.Load.Log = log
	}
	res, err := m.session.run(srv, spec, &m.file.Environment, func(msgs *messages) bench.Hooks {
		return m.con.hooks(msgs, title, spec.ShowProgress)
	})
	if log != nil {
		if lost := log.Close(); lost != nil {
			m.lost = errors.Join(m.lost, fmt.Errorf("write the transaction log: %w", lost))
		}
	}
	return res, err
}

// summary prints a run of a matrix in one line.
func (m *matrix) summary(i int, r *result.Run) {
	if len(m.specs) > 1 {
		m.con.note("[%d/%d] %s", i+1, len(m.specs), report.Summary(r))
	}
}

// resultStatus is the exit status that a run calls for.
func resultStatus(r *result.Run) Status {
	status := StatusOK
	audit := report.AuditOf(r)
	if r.AbortedClients > 0 || audit == report.AuditMissing {
		status = StatusIncomplete
	}
	if r.Interrupted {
		status = worse(status, StatusInterrupted)
	}
	if audit == report.AuditFailed {
		status = worse(status, StatusAudit)
	}
	return status
}

// strategiesOf names the strategies of a matrix.
func strategiesOf(specs []bench.Spec) string {
	var names []string
	for _, s := range specs {
		names = append(names, s.Mix.Name)
	}
	return strings.Join(unique(names), "+")
}

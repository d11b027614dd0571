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
	"qbench/internal/conninfo"
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
	out := a.readOutput(v)
	server := readServer(v)
	logs := readLogs(v, len(specs))
	limits := readThresholds(v)
	if err := v.mistake(); err != nil {
		return err
	}
	server.fit(specs)
	if out.folder != nil {
		out.folder.title = strategiesOf(specs)
	}
	if err := errors.Join(a.checkStdout(), logs.check(), out.open()); err != nil {
		return err
	}

	con := newConsole(a.stderr)
	signals := watchInterrupts(c.Context, func(s os.Signal) {
		con.note("%v: finishing the work under way; press Ctrl-C again to quit immediately", s)
	})
	defer signals.release()
	m := &matrix{app: a, con: con, out: out, specs: specs, signals: signals, logs: logs, limits: limits,
		file: &result.File{Format: result.Format}}
	return m.run(server)
}

// matrix is the runs of one command.
type matrix struct {
	app     *app
	con     *console
	out     *output
	specs   []bench.Spec
	signals *interrupts
	logs    logOptions
	limits  []result.Threshold
	file    *result.File
	// lost is the error of a result other than the report that could not be written.
	lost error
	// disposable says that the tables go away with the server.
	disposable bool
}

// run starts the server, does all runs, and prints what came out. The server
// is gone when it returns, also after a panic.
func (m *matrix) run(o serverOptions) (err error) {
	srv, err := o.open(m.signals.stop, m.con)
	if err != nil {
		return m.end(err)
	}
	m.disposable = srv.disposable != nil
	defer func() { err = errors.Join(err, srv.close()) }()
	// The second signal may come while the runner waits for the server.
	defer context.AfterFunc(m.signals.now, func() { _ = srv.close() })()

	if err := srv.Check(m.signals.stop, m.specs); err != nil {
		return m.end(err)
	}
	if m.file.Environment, err = srv.Environment(m.signals.stop); err != nil {
		return m.end(err)
	}
	m.file.Environment.QbenchVersion = version()
	m.file.Environment.Args = recordedArgs(m.app.args)
	m.file.Environment.StartedAt = time.Now()

	status := StatusOK
	var failure error
	for i, spec := range m.specs {
		res, err := m.one(srv, i, spec)
		if res != nil {
			res.Warnings = append(res.Warnings, report.Warnings(res, m.file.Environment)...)
			m.openLoop(spec, res)
			m.file.Runs = append(m.file.Runs, res)
			status = worse(status, resultStatus(res))
			if more := i < len(m.specs)-1 && err == nil && m.signals.stop.Err() == nil; more {
				m.save()
			}
			m.summary(i, res)
		}
		if err != nil {
			if len(m.file.Runs) == 0 {
				return m.end(err)
			}
			// What was measured before is worth a report all the same.
			if failure = m.end(err); statusOf(failure) == StatusInterrupted {
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
		failure = m.end(nil)
	}
	m.con.hide()
	lost := errors.Join(m.lost, m.out.save(m.file, true), m.out.print(m.file, defaultFormat(m.file.Runs)))
	if m.out.folder != nil && m.out.folder.file != nil {
		m.con.note("results: %s", m.app.secrets.Mask(m.out.folder.file.path))
	}
	status = worse(status, m.app.checkThresholds(m.limits, m.file.Runs))
	return withStatus(orLost(status, lost), errors.Join(failure, lost))
}

// save keeps what was measured until now. The runs go on if that fails, since
// the report is still to come, and the file is written again at the end.
func (m *matrix) save() {
	if err := m.out.save(m.file, false); err != nil {
		m.con.note("qbench: warning: %v; the runs go on", err)
	}
}

// end gives an interruption its status.
func (m *matrix) end(err error) error {
	m.con.hide()
	if m.signals.stop.Err() != nil {
		if m.signals.now.Err() != nil {
			left := "; the tables are left as they are, and the next run replaces them"
			if m.disposable {
				left = ""
			}
			return withStatus(StatusInterrupted, errors.New("stopped at once"+left))
		}
		if !errors.Is(err, bench.ErrStopped) {
			err = bench.ErrStopped
		}
		if m.disposable {
			err = bench.ErrStopped // what it says of the tables goes away with the server
		}
		return withStatus(StatusInterrupted, err)
	}
	return err
}

// one does a run with its log.
func (m *matrix) one(srv *server, i int, spec bench.Spec) (*result.Run, error) {
	title := describeSpec(spec, m.specs[len(m.specs)-1].Repeat > 1)
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
	msgs := &messages{con: m.con, all: spec.Load.VerboseErrors, quiet: m.signals.now}
	res, err := srv.Run(m.signals.now, m.signals.stop, spec, m.con.hooks(msgs, title, spec.ShowProgress))
	m.con.hide()
	msgs.close()
	if log != nil {
		if lost := log.Close(); lost != nil {
			m.lost = errors.Join(m.lost, fmt.Errorf("write the transaction log: %w", lost))
		}
	}
	return res, err
}

// summary prints a run of a matrix in one line.
func (m *matrix) summary(i int, r *result.Run) {
	if len(m.specs) == 1 {
		return
	}
	line := fmt.Sprintf("%.1f tps", r.TPS)
	if r.CountsOrders {
		line = fmt.Sprintf("%.1f orders/s, %s", r.OrdersPerS, line)
	}
	line += fmt.Sprintf(", p99 %.3f ms", r.Latency.P99)
	switch report.AuditOf(r) {
	case report.AuditOK:
		line += ", audit ok"
	case report.AuditMissing:
		line += ", NOT AUDITED"
	case report.AuditFailed:
		line += ", AUDIT FAILED"
	}
	if aborted := report.Aborted(r); aborted != "" {
		line += ", " + aborted + " aborted"
	}
	m.con.note("[%d/%d] %s", i+1, len(m.specs), line)
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

// fit makes a server that is started large enough for all runs.
func (o *serverOptions) fit(specs []bench.Spec) {
	for _, s := range specs {
		o.disposable.MaxClients = max(o.disposable.MaxClients, s.Connections())
		o.disposable.LocksPerClient = max(o.disposable.LocksPerClient, s.LocksPerClient())
	}
}

// recordedArgs is the command line with passwords masked.
func recordedArgs(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--dsn="); ok {
			arg = "--dsn=" + bench.RedactDSN(value)
		} else if i > 0 && args[i-1] == "--dsn" {
			arg = bench.RedactDSN(arg)
		} else {
			arg = conninfo.Redact(arg)
		}
		out[i] = arg
	}
	return out
}

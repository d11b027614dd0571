package cli

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"qbench/internal/bench"
	"qbench/internal/conninfo"
	"qbench/internal/printable"
	"qbench/internal/result"
	"qbench/internal/terminal"
	"qbench/report"
)

// session is the set-up that all commands share which measure: the servers, the
// signals, the messages and the place of the results.
type session struct {
	app     *app
	con     *console
	signals *interrupts
	out     *output

	mu      sync.Mutex // the second signal closes the servers from another goroutine
	servers []*server
}

// measure finds out whether results can be written, and then calls do. The
// servers that do opens are gone when measure returns, also after a panic.
func (a *app) measure(ctx context.Context, out *output, do func(*session) error) (err error) {
	if err := errors.Join(a.checkStdout(), out.open()); err != nil {
		return err
	}
	s := &session{app: a, con: newConsole(a.stderr), out: out}
	s.signals = watchInterrupts(ctx, func(signal os.Signal) {
		s.con.note("%v: finishing the work under way; press Ctrl-C again to quit immediately", signal)
	})
	defer s.signals.release()
	defer func() { err = errors.Join(err, s.close()) }()
	// The second signal may come while the runner waits for a server.
	defer context.AfterFunc(s.signals.now, func() { _ = s.close() })()
	return do(s)
}

// open opens a server that is large enough for the runs.
func (s *session) open(o serverOptions, specs ...bench.Spec) (*server, error) {
	for _, spec := range specs {
		o.disposable.MaxClients = max(o.disposable.MaxClients, spec.Connections())
		o.disposable.LocksPerClient = max(o.disposable.LocksPerClient, spec.LocksPerClient())
	}
	srv, err := o.open(s.signals.stop, s.con)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.servers = append(s.servers, srv)
	return srv, nil
}

// close stops the servers that were started; it may be called more than once.
func (s *session) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, srv := range s.servers {
		err = errors.Join(err, srv.close())
	}
	return err
}

// environment is what a result file records of the server and the command.
func (s *session) environment(srv *server) (result.Environment, error) {
	env, err := srv.Environment(s.signals.stop)
	if err != nil {
		return env, err
	}
	env.QbenchVersion, env.Args, env.StartedAt = version(), recordedArgs(s.app.args), time.Now()
	return env, nil
}

// recordedArgs is a command line with the passwords masked.
func recordedArgs(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = conninfo.Redact(arg)
	}
	return out
}

// run makes a run; hooks are given what prints the messages of its clients. The
// result, which may be there in spite of an error, knows its environment and
// has its warnings.
func (s *session) run(srv *server, spec bench.Spec, env *result.Environment, hooks func(*messages) bench.Hooks) (*result.Run, error) {
	msgs := &messages{con: s.con, all: spec.Load.VerboseErrors, quiet: s.signals.now}
	r, err := srv.Run(s.signals.now, s.signals.stop, spec, hooks(msgs))
	s.con.hide()
	msgs.close()
	if r != nil {
		r.Env = env
		r.Warnings = append(r.Warnings, report.Warnings(r, *env)...)
	}
	return r, err
}

// ended gives an interruption its status and its words.
func (s *session) ended(err error) error {
	s.con.hide()
	switch {
	case s.signals.stop.Err() == nil:
		return err
	case s.signals.now.Err() != nil && s.keepsTables():
		err = errors.New("stopped at once; the tables are left as they are, and the next run replaces them")
	case s.signals.now.Err() != nil:
		err = errors.New("stopped at once")
	case !errors.Is(err, bench.ErrStopped) || !s.keepsTables():
		err = bench.ErrStopped // without what it says of tables that go away
	}
	return withStatus(StatusInterrupted, err)
}

// keepsTables tells whether the tables outlive the session.
func (s *session) keepsTables() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, srv := range s.servers {
		if srv.disposable == nil {
			return true
		}
	}
	return false
}

// write writes the result files and prints the report.
func (s *session) write(f *result.File) error {
	s.con.hide()
	lost := errors.Join(s.out.save(f, true), s.out.print(f))
	if s.out.folder != nil && s.out.folder.Path() != "" {
		s.con.note("results: %s", s.app.secrets.Mask(s.out.folder.Path()))
	}
	return lost
}

// checkStdout refuses to measure when the report would be lost.
func (a *app) checkStdout() error {
	if f, ok := printable.Unwrap(a.stdout).(*os.File); ok && terminal.Closed(f) {
		return errors.New("standard output is closed, so the report would be lost: redirect it to a file, or to /dev/null with >/dev/null")
	}
	return nil
}

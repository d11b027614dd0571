//go:build linux

package bench_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"qbench/internal/bench"
	"qbench/internal/relaytest"
	"qbench/internal/result"
)

// slack is what a step may take beyond its own limits on a busy machine; it
// tells a hang from a delay and nothing finer.
const slack = 15 * time.Second

// loadSlack is the same for the load alone, its connecting included.
const loadSlack = 8 * time.Second

// outcome is what came of a trial.
type outcome struct {
	evidence  string // "" is no trial: the fault did not fire
	unaudited bool
	lossy     bool     // the tables show a loss
	wrong     []string // what is not as it must be
	stuck     bool     // something could not be ended: no further trial is worth anything
}

func (o *outcome) blame(format string, args ...any) {
	o.wrong = append(o.wrong, fmt.Sprintf(format, args...))
}

// trial is one plan under way.
type trial struct {
	*plan
	server *victim
	relay  *relaytest.Relay
	target *bench.Target
	app    string
	schema string
	certs  *tls.Config
	folder string // for the user's script
	// When the clients began to connect, and when the last of them had ended.
	began, ended time.Time
	out          outcome
}

// run runs the load with its fault and judges what came of it. An error is
// one of the torture itself.
func (t *trial) run(ctx context.Context) (_ *outcome, err error) {
	if err := t.server.start(ctx); err != nil {
		return nil, err
	}
	t.app = fmt.Sprintf("torture-%d", t.seed)
	t.schema = fmt.Sprintf("torture_%d", t.seed)
	remove, err := t.listen()
	if err != nil {
		return nil, err
	}
	defer remove()
	defer func() { err = errors.Join(err, t.relay.Close()) }()

	var res *result.Run
	var runErr error
	var h hit
	pprof.Do(ctx, t.labels(), func(ctx context.Context) { res, runErr, h, err = t.load(ctx) })
	if err != nil || t.out.stuck {
		return &t.out, err
	}
	if h.err != nil {
		return nil, fmt.Errorf("fault %q: %w", t.fault.name, h.err)
	}
	t.out.evidence = h.evidence
	if err := t.server.start(ctx); err != nil {
		return nil, err
	}
	t.leftovers(ctx)
	return &t.out, t.judge(ctx, res, runErr, h)
}

// listen starts the relay and names the target through it.
func (t *trial) listen() (remove func(), err error) {
	network, address := "tcp", "127.0.0.1:0"
	remove = func() {}
	var folder string
	if t.transport == "unix" {
		if folder, err = os.MkdirTemp("", "qbrelay-"); err != nil {
			return nil, err
		}
		remove = func() { _ = os.RemoveAll(folder) }
		network, address = "unix", filepath.Join(folder, ".s.PGSQL.5432")
	}
	var config *tls.Config
	if t.transport == "tls" {
		config = t.certs
	}
	if t.relay, err = relaytest.Listen(network, address, t.server.dial, config); err != nil {
		remove()
		return nil, err
	}
	host, port, sslmode := folder, 5432, "disable"
	if a, ok := t.relay.Addr().(*net.TCPAddr); ok {
		host, port = "127.0.0.1", a.Port
	}
	if config != nil {
		sslmode = "require"
	}
	dsn := fmt.Sprintf("host=%s port=%d user=postgres dbname=postgres sslmode=%s application_name=%s", host, port, sslmode, t.app)
	if t.fault.options != "" {
		dsn += " options='" + t.fault.options + "'"
	}
	t.target, err = bench.NewTarget(dsn, t.schema)
	return remove, err
}

// load runs the load and the fault, within the time that both may take.
func (t *trial) load(ctx context.Context) (res *result.Run, runErr error, h hit, err error) {
	spec, err := t.spec(t.folder)
	if err != nil {
		return nil, nil, h, err
	}
	kill, cancelKill := context.WithCancel(ctx)
	defer cancelKill()
	loadCtx, loadEnded := context.WithCancel(ctx)
	defer loadEnded()
	back := make(chan struct{})
	s := &scene{plan: t.plan, ctx: loadCtx, server: t.server, relay: t.relay, app: t.app, schema: t.schema, back: back}

	t.began = time.Now()
	injected := make(chan hit, 1)
	started := false
	var once sync.Once
	hooks := bench.Hooks{
		Running: func(bench.Spec) { t.began, s.first = time.Now(), t.relay.Accepted() },
		Tick: func(result.Tick) {
			once.Do(func() {
				started = true
				go func() {
					h := hit{}
					if s.pause(t.delay) {
						h = t.fault.inject(s)
					}
					injected <- h
				}()
			})
		},
		Auditing: func() {
			t.ended = time.Now()
			loadEnded()
		},
	}
	go func() {
		defer close(back)
		res, runErr = t.target.Run(kill, ctx, spec, hooks)
	}()

	limit := t.duration + t.grace + t.recovery + 2*slack
	select {
	case <-back:
	case <-time.After(limit):
		t.out.blame("the command had not returned after %v:\n%s", limit, interesting())
		cancelKill()
		select {
		case <-back:
		case <-time.After(slack):
			t.out.blame("nor had it %v after it was told to leave everything", slack)
			t.out.stuck = true
			return nil, nil, h, nil
		}
	}
	loadEnded()
	if started {
		select {
		case h = <-injected:
		case <-time.After(time.Minute):
			return nil, nil, h, fmt.Errorf("fault %q did not end", t.fault.name)
		}
	}
	if limit := t.duration + t.grace + loadSlack; !t.ended.IsZero() && t.ended.Sub(t.began) > limit {
		t.out.blame("the load took %v, longer than %v with its grace and room", t.ended.Sub(t.began), limit)
	}
	return res, runErr, h, nil
}

// leftovers waits for goroutines and connections to go.
func (t *trial) leftovers(ctx context.Context) {
	left := func(what func() []string) (list []string) {
		for range 500 {
			if list = what(); len(list) == 0 {
				return nil
			}
			time.Sleep(10 * time.Millisecond) // polled: the end of a goroutine or a backend signals nothing
		}
		return list
	}
	for _, stack := range left(t.goroutines) {
		t.out.blame("a goroutine is left:\n%s", stack)
	}
	if open := left(func() (list []string) {
		for _, c := range t.relay.Sessions() {
			list = append(list, fmt.Sprintf("connection %d (backend %d)", c.Number, c.PID()))
		}
		return list
	}); len(open) > 0 {
		t.out.blame("the client left open: %s", strings.Join(open, ", "))
		_ = t.relay.Close()
	}
	var queryErr error
	if backends := left(func() (list []string) {
		list, queryErr = t.backends(ctx)
		return list
	}); len(backends) > 0 || queryErr != nil {
		t.out.blame("backends are left: %s (%v)", strings.Join(backends, "; "), queryErr)
	}
}

func (t *trial) backends(ctx context.Context) (list []string, err error) {
	conn, err := t.server.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `select format('%s %s %s: %s', pid, application_name, state, query)
		from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// labels are those of the trial's goroutines, which inherit them from the one that starts the load. They tell them from those
// of tests that run at the same time.
func (t *trial) labels() pprof.LabelSet {
	return pprof.Labels("torture", strconv.FormatUint(t.seed, 10))
}

// goroutines are those of the load that still run, by their stacks.
func (t *trial) goroutines() (list []string) {
	var b strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
		return []string{err.Error()}
	}
	label := fmt.Sprintf(`"torture":"%d"`, t.seed)
	for stack := range strings.SplitSeq(b.String(), "\n\n") {
		if !strings.Contains(stack, label) || strings.Contains(stack, "qbench/internal/relaytest.") {
			continue
		}
		// The torture's own may still wait for something.
		for _, part := range []string{"qbench/runner", "qbench/internal/bench.", "qbench/schema.", "jackc/pgx"} {
			if strings.Contains(stack, part) {
				list = append(list, stack)
				break
			}
		}
	}
	return list
}

// interesting is the stacks of all goroutines, for a run that does not end.
func interesting() string {
	buf := make([]byte, 4<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

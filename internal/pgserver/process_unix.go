//go:build linux || darwin

package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stopLimit is how long an immediate shutdown may take before the server is killed; it kills its own children after 5 s.
const stopLimit = 10 * time.Second

// process is a server's operating-system side: its folder, its main process, its guard.
type process struct {
	folder  *folder
	account account
	guard   *guard

	cmd    *exec.Cmd     // nil until launched
	exited chan struct{} // closed when cmd has ended

	mu       sync.Mutex
	finalLog string // the log's tail, once its file is gone
	closed   bool
}

// newProcess makes the folder and sets the guard, so that from here on nothing can be left behind.
func newProcess(bases []string) (*process, error) {
	a, err := serverAccount()
	if err != nil {
		return nil, err
	}
	f, err := newFolder(bases, a)
	if err != nil {
		return nil, err
	}
	g, err := startGuard(f.path)
	if err != nil {
		return nil, errors.Join(err, f.remove())
	}
	return &process{folder: f, account: a, guard: g}, nil
}

func (p *process) dataDir() string { return filepath.Join(p.folder.path, "data") }
func (p *process) logFile() string { return filepath.Join(p.folder.path, "log") }

// command prepares a server program to run as the account, in the folder, untouched by the user's own PostgreSQL variables.
// It is killed when ctx ends.
func (p *process) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = p.folder.path
	cmd.Env = serverEnv(os.Environ())
	cmd.SysProcAttr = p.account.attributes()
	return cmd
}

// serverEnv drops libpq's and the server's variables, and sets the language and time zone that a template was made in.
func serverEnv(environ []string) []string {
	var env []string
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "PG") || strings.HasPrefix(name, "LC_") || name == "LANG" || name == "LANGUAGE" || name == "TZ" {
			continue
		}
		env = append(env, v)
	}
	return append(env, "LC_ALL=C", "TZ=UTC")
}

// launch starts the postmaster itself rather than through pg_ctl: its process id is then known from the first moment and
// its end is noticed at once.
func (p *process) launch(postgres string, settings []string) error {
	log, err := os.OpenFile(p.logFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("log of the disposable server: %w", err)
	}
	// A list of folders to the server, in which quotes keep a comma or a space from separating two.
	socketDir := `"` + strings.ReplaceAll(p.folder.path, `"`, `""`) + `"`
	args := []string{"-D", p.dataDir(), "-c", "unix_socket_directories=" + socketDir, "-c", "port=" + socketPort}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	cmd := p.command(context.Background(), postgres, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return errors.Join(p.explainStart(postgres, err), log.Close())
	}
	p.cmd, p.exited = cmd, make(chan struct{})
	watchErr := p.guard.watch(cmd.Process.Pid)
	go func() {
		// How it ended is in its log; that it ended is all there is to know here.
		_ = cmd.Wait()
		_ = p.guard.nothing()
		close(p.exited)
	}()
	return errors.Join(watchErr, log.Close())
}

// explainStart adds to the kernel's refusal what it is mostly about.
func (p *process) explainStart(program string, err error) error {
	if errors.Is(err, os.ErrPermission) && p.account.switched {
		return fmt.Errorf("%w (as root, the server is started as user %s, who must be able to reach and execute %s)", err, p.account.name, program)
	}
	return fmt.Errorf("start %s: %w", program, err)
}

// close stops the server, removes its folder and lets the guard go.
func (p *process) close() error {
	var errs []error
	if p.cmd != nil {
		errs = append(errs, p.halt())
	}
	tail := p.log()
	errs = append(errs, p.folder.remove())
	p.guard.release()
	p.mu.Lock()
	p.finalLog, p.closed = tail, true
	p.mu.Unlock()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("stop the disposable server in %s: %w", p.folder.path, err)
	}
	return nil
}

// halt asks for an immediate shutdown and waits for its end.
func (p *process) halt() error {
	if err := p.signal(syscall.SIGQUIT); err != nil {
		return err
	}
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	select {
	case <-p.exited:
		return nil
	case <-limit.C:
	}
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.exited
	return nil
}

func (p *process) signal(s os.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%v to process %d: %w", s, p.cmd.Process.Pid, err)
	}
	return nil
}

// keep marks the folder as one to outlive its owner, and lets the guard go.
func (p *process) keep() error {
	if err := os.WriteFile(filepath.Join(p.folder.path, keptFile), nil, 0o600); err != nil {
		return fmt.Errorf("mark the disposable server as kept: %w", err)
	}
	p.guard.release()
	return nil
}

// log is the last 8 KiB of the log, in whole lines.
func (p *process) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return p.finalLog
	}
	file, err := os.Open(p.logFile())
	if err != nil {
		return ""
	}
	defer file.Close()
	const tail = 8 << 10
	cut := false
	if info, err := file.Stat(); err == nil && info.Size() > tail {
		if _, err := file.Seek(-tail, io.SeekEnd); err != nil {
			return ""
		}
		cut = true
	}
	text, err := io.ReadAll(io.LimitReader(file, tail))
	if err != nil {
		return ""
	}
	if cut {
		_, rest, _ := strings.Cut(string(text), "\n")
		return rest
	}
	return string(text)
}

var logReason = regexp.MustCompile(`(?m)^.*?\b((?:FATAL|PANIC|DETAIL|HINT): .*)$`)

// reason picks from a server's log why it stopped; the whole text when nothing in it says so.
func reason(log string) string {
	var lines []string
	for _, m := range logReason.FindAllStringSubmatch(log, -1) {
		lines = append(lines, strings.Join(strings.Fields(m[1]), " "))
	}
	if len(lines) == 0 {
		return strings.TrimSpace(log)
	}
	return strings.Join(lines, "; ")
}

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

// process is a server's operating-system side: its folders, its main process, its guard.
type process struct {
	folder  *folder
	sockets *folder // of the socket alone; nil where that is in folder
	account account
	guard   *guard

	cmd    *exec.Cmd     // nil until launched
	exited chan struct{} // closed when cmd has ended

	mu       sync.Mutex
	finalLog string // the log's tail, once its file is gone
	closed   bool
}

// newProcess makes the folders and sets the guard, so that from here on nothing can be left behind. The data goes into one of
// bases, and so does the socket, unless that would be where libpq can't be led to: then it goes into one of socketBases.
func newProcess(bases, socketBases []string, a account) (_ *process, err error) {
	p := &process{account: a}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.removeFolders())
		}
	}()
	if p.folder, err = newFolder(bases, a); err != nil {
		return nil, err
	}
	if !fitsSocket(p.folder.part()) {
		if p.sockets, err = newFolder(socketBases, a); err != nil {
			return nil, fmt.Errorf("the path of a socket in %s would be too long (%d bytes at most) or hold a comma: %w", p.folder.path, maxSocketPath, err)
		}
		if err := p.sockets.handOver(); err != nil {
			return nil, err
		}
		if !fitsSocket(p.sockets.part()) {
			return nil, fmt.Errorf("the path of a socket in %s would be too long (%d bytes at most) or hold a comma", p.sockets.path, maxSocketPath)
		}
	}
	if p.guard, err = startGuard(p.folderPaths()); err != nil {
		return nil, err
	}
	return p, nil
}

// folders are all the process has, the data's first.
func (p *process) folders() []*folder {
	var list []*folder
	for _, f := range []*folder{p.folder, p.sockets} {
		if f != nil {
			list = append(list, f)
		}
	}
	return list
}

func (p *process) folderPaths() []string {
	var paths []string
	for _, f := range p.folders() {
		paths = append(paths, f.path)
	}
	return paths
}

func (p *process) removeFolders() error {
	var errs []error
	for _, f := range p.folders() {
		errs = append(errs, f.remove())
	}
	return errors.Join(errs...)
}

func (p *process) dataDir() string { return p.folder.part(dataDir) }

// socketDir is the folder that the server's socket is in.
func (p *process) socketDir() string {
	if p.sockets != nil {
		return p.sockets.part()
	}
	return p.folder.part()
}

// command prepares a server program to run as the account, in its part of the folder. When ctx ends it is killed with its
// children: initdb's would go on writing into a folder that is being removed.
func (p *process) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = p.folder.part()
	cmd.Env = serverEnv(p.account, os.Getenv)
	cmd.SysProcAttr = p.account.attributes()
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	return cmd
}

// killGroup kills a process that leads a session, and its children.
func killGroup(leader int) error {
	err := syscall.Kill(-leader, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// inherited are the variables that a server program may need to be found and loaded: builds in places of their own have
// their libraries there too.
var inherited = []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "TZDIR", "ICU_DATA"}

// serverEnv is a server program's environment, and not the user's: that holds secrets (of root, when the program runs as
// another user) and variables that change a server. Language and time zone are those that a template was made in.
func serverEnv(a account, getenv func(string) string) []string {
	env := []string{"LC_ALL=C", "LANG=C", "TZ=UTC"}
	for _, name := range inherited {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	if getenv("PATH") == "" {
		env = append(env, "PATH=/usr/local/bin:/usr/bin:/bin")
	}
	if a.home != "" {
		env = append(env, "HOME="+a.home)
	}
	return env
}

// launch starts the postmaster itself rather than through pg_ctl: its process id is then known from the first moment and
// its end is noticed at once.
func (p *process) launch(postgres string, settings []string) error {
	log, err := p.folder.create(logFile)
	if err != nil {
		return fmt.Errorf("log of the disposable server: %w", err)
	}
	// A list of folders to the server, in which quotes keep a comma or a space from separating two.
	socketDir := `"` + strings.ReplaceAll(p.socketDir(), `"`, `""`) + `"`
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

// close stops the server, removes its folders and lets the guard go.
func (p *process) close() error {
	var errs []error
	if p.cmd != nil {
		errs = append(errs, p.halt())
	}
	tail := p.log()
	errs = append(errs, p.removeFolders())
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

// keep marks the folders as ones to outlive their owner, and lets the guard go.
func (p *process) keep() error {
	for _, f := range p.folders() {
		if err := f.keep(); err != nil {
			return fmt.Errorf("mark the disposable server as kept: %w", err)
		}
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
	file, err := os.Open(filepath.Join(p.folder.path, logFile))
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

//go:build linux

package bench_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"qbench/internal/pgserver"
)

// victim is a server of the torture's own that can be stopped in every way and
// started again on its data. pgserver's are thrown away when they stop.
type victim struct {
	folder, bindir string
	credential     *syscall.Credential // nil is this process's own
	postmaster     *exec.Cmd
	exited         chan struct{} // closed when postmaster has ended
	guard          *exec.Cmd
	line           io.WriteCloser // its end is the guard's sign
}

// victimGuard stops the server and removes its folder when this process has
// ended, in whatever way: the kernel then closes the pipe.
const victimGuard = `while read -r _; do :; done
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid" 2>/dev/null
n=0
while [ -e "$1/data/postmaster.pid" ] && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done
rm -rf "$1"`

// What is slow and proves nothing is off. Commits still wait for their WAL to be
// written: to the operating system, which no fault here stops.
var victimSettings = []string{
	"listen_addresses=", "fsync=off", "full_page_writes=off", "shared_buffers=64MB", "max_connections=100", "wal_writer_delay=5s",
	"wal_writer_flush_after=0", "log_min_messages=log", "max_locks_per_transaction=256",
}

// newVictim makes a cluster and starts it.
func newVictim(ctx context.Context) (_ *victim, err error) {
	bindir, err := pgserver.Find("")
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "qbtorture-")
	if err != nil {
		return nil, err
	}
	v := &victim{folder: folder, bindir: bindir}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.close())
		}
	}()
	v.guard = exec.Command("/bin/sh", "-c", victimGuard, "qbench-torture", folder)
	v.guard.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if v.line, err = v.guard.StdinPipe(); err != nil {
		return nil, err
	}
	if err := v.guard.Start(); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 { // as which PostgreSQL refuses to run
		u, err := user.Lookup("postgres")
		if err != nil {
			return nil, err
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		v.credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(folder, uid, gid); err != nil {
			return nil, err
		}
	}
	initdb := v.command("initdb", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D", v.data())
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	return v, v.start(ctx)
}

func (v *victim) data() string   { return filepath.Join(v.folder, "data") }
func (v *victim) socket() string { return filepath.Join(v.folder, ".s.PGSQL.5432") }

func (v *victim) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(v.bindir, name), args...)
	cmd.Dir, cmd.Env = v.folder, []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: v.credential}
	return cmd
}

// start starts the server where it does not run, and waits until it answers.
func (v *victim) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if !v.running() {
		args := []string{"-D", v.data(), "-c", "unix_socket_directories=" + v.folder}
		for _, s := range victimSettings {
			args = append(args, "-c", s)
		}
		log, err := os.OpenFile(filepath.Join(v.folder, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		defer log.Close()
		cmd := v.command("postgres", args...)
		cmd.Stdout, cmd.Stderr = log, log
		if err := cmd.Start(); err != nil {
			return err
		}
		exited := make(chan struct{})
		v.postmaster, v.exited = cmd, exited
		go func() {
			_ = cmd.Wait()
			close(exited)
		}()
	}
	for {
		conn, err := v.connect(ctx)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w: %s", err, v.log(0))
		case <-v.exited:
			return fmt.Errorf("the server did not start: %s", v.log(0))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (v *victim) running() bool {
	if v.postmaster == nil {
		return false
	}
	select {
	case <-v.exited:
		return false
	default:
		return true
	}
}

// log is the server's log from an offset on, shortened to its last lines.
func (v *victim) log(from int64) string {
	text, _ := os.ReadFile(filepath.Join(v.folder, "log"))
	text = text[min(int(from), len(text)):]
	return string(text[max(0, len(text)-4000):])
}

func (v *victim) logSize() int64 {
	info, err := os.Stat(filepath.Join(v.folder, "log"))
	if err != nil {
		return 0
	}
	return info.Size()
}

// connect connects without any relay.
func (v *victim) connect(ctx context.Context) (*pgx.Conn, error) {
	return pgx.Connect(ctx, "host="+v.folder+" port=5432 user=postgres dbname=postgres sslmode=disable application_name=torture")
}

// dial is how a relay reaches the server.
func (v *victim) dial() (net.Conn, error) { return net.Dial("unix", v.socket()) }

// stop stops the server: SIGINT is a fast shutdown, SIGQUIT an immediate one.
func (v *victim) stop(how syscall.Signal) error {
	if err := v.postmaster.Process.Signal(how); err != nil {
		return err
	}
	select {
	case <-v.exited:
		return nil
	case <-time.After(time.Minute):
		return fmt.Errorf("the server did not stop: %s", v.log(0))
	}
}

// kill ends the postmaster and all its children with SIGKILL. It is stopped
// first, so that it starts no more of them meanwhile.
func (v *victim) kill() error {
	pid := v.postmaster.Process.Pid
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return errors.Join(err, syscall.Kill(pid, syscall.SIGCONT))
	}
	for _, word := range strings.Fields(string(text)) {
		if child, err := strconv.Atoi(word); err == nil {
			_ = syscall.Kill(child, syscall.SIGKILL) // it may have ended
		}
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return err
	}
	<-v.exited
	return nil
}

// close stops the server for good and removes its folder.
func (v *victim) close() error {
	var errs []error
	if v.running() {
		errs = append(errs, v.stop(syscall.SIGQUIT))
	}
	if v.line != nil {
		_ = v.line.Close()
		_ = v.guard.Wait()
	}
	return errors.Join(append(errs, os.RemoveAll(v.folder))...)
}

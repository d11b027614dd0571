package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"qbench/internal/pgserver"
)

// Private is a server of a test's own, which it may stop in every way and start again on its data.
type Private struct {
	DSN    string
	tb     testing.TB
	bindir string
	folder string
}

// NewPrivate starts a server with settings, as name=value, in addition to those of the shared one; it is stopped when the
// test has ended.
func NewPrivate(tb testing.TB, extra ...string) *Private {
	tb.Helper()
	server, err := pgserver.Start(context.Background(), pgserver.Options{Settings: append([]string{"fsync=off", "full_page_writes=off", "shared_buffers=32MB"}, extra...)})
	switch {
	case errors.Is(err, pgserver.ErrNoBinaries) && os.Getenv("CI") == "":
		tb.Skipf("%s needs PostgreSQL: %v", tb.Name(), err)
	case err != nil:
		tb.Fatalf("%s needs PostgreSQL: %v", tb.Name(), err)
	}
	config, err := pgconn.ParseConfig(server.DSN())
	if err != nil {
		tb.Fatal(err)
	}
	bindir, err := pgserver.Find("")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Private{DSN: server.DSN(), tb: tb, bindir: bindir, folder: config.Host}
	tb.Cleanup(func() {
		_ = p.ctl("stop", "-m", "immediate") // the one that was started last; it may be down
		_ = server.Stop()                    // the first one's process may have ended long ago
	})
	return p
}

// ctl runs pg_ctl as the account that the server's data belongs to.
func (p *Private) ctl(args ...string) error {
	data := filepath.Join(p.folder, "data")
	info, err := os.Stat(data)
	if err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(p.bindir, "pg_ctl"), append(args, "-w", "-s", "-D", data)...)
	cmd.Dir = p.folder
	if owner := info.Sys().(*syscall.Stat_t); int(owner.Uid) != os.Geteuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
	// Into a file: the server inherits it, and would keep a pipe open.
	said, err := os.CreateTemp("", "pg_ctl")
	if err != nil {
		return err
	}
	defer os.Remove(said.Name())
	defer said.Close()
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(said.Name())
		return fmt.Errorf("pg_ctl %s: %w: %s", strings.Join(args, " "), err, text)
	}
	return nil
}

// Stop shuts the server down: fast, immediate, or kill, which is SIGKILL of all its processes.
func (p *Private) Stop(mode string) error {
	if mode != "kill" {
		return p.ctl("stop", "-m", mode)
	}
	text, err := os.ReadFile(filepath.Join(p.folder, "data", "postmaster.pid"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	// Stopped first, so that it starts no more children meanwhile.
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return errors.Join(err, syscall.Kill(pid, syscall.SIGCONT))
	}
	for _, word := range strings.Fields(string(children)) {
		if child, err := strconv.Atoi(word); err == nil {
			_ = syscall.Kill(child, syscall.SIGKILL) // it may have ended
		}
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return err
	}
	// pg_ctl would wait for it to remove its file, which it never will.
	for syscall.Kill(pid, 0) == nil {
		time.Sleep(5 * time.Millisecond) // polled: it is no child of this process
	}
	return nil
}

// Start starts the server again, with the settings that it had.
func (p *Private) Start() (err error) {
	// Children of a killed postmaster may still be ending, and hold its shared memory.
	for range 100 {
		if err = p.ctl("restart", "-m", "immediate"); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond) // polled: only a start that works tells that they are gone
	}
	return err
}

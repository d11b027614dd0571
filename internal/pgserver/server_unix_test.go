//go:build linux || darwin

package pgserver

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// place gives a test a temporary folder and a cache of its own. Not t.TempDir: its folders are closed to the account
// that root starts the server as, and their names are long for a socket.
func place(t *testing.T) Options {
	t.Helper()
	if _, err := Find(""); errors.Is(err, ErrNoBinaries) && os.Getenv("CI") == "" {
		t.Skipf("%s needs PostgreSQL: %v", t.Name(), err)
	}
	base, err := os.MkdirTemp("/tmp", "pgs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(base, 0o711); err != nil {
		t.Fatal(err)
	}
	return Options{base: base, CacheDir: t.TempDir(), Settings: []string{"fsync=off", "shared_buffers=16MB"}}
}

func start(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func ask(t *testing.T, s *Server, sql string) string {
	t.Helper()
	conn, err := pgconn.Connect(context.Background(), s.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	r := conn.ExecParams(context.Background(), sql, nil, nil, nil, nil).Read()
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	return string(r.Rows[0][0])
}

// nothingIn fails when a folder isn't empty.
func nothingIn(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("left behind: %s", filepath.Join(dir, e.Name()))
	}
}

func running(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestStartAndStopLeaveNothing(t *testing.T) {
	t.Parallel()
	o := place(t)
	o.MaxClients = 256
	o.LocksPerClient = 520
	o.Settings = append(o.Settings, "Work_Mem=5MB", "max_wal_size=2GB")
	s := start(t, o)
	if got, want := ask(t, s, "select split_part(current_setting('server_version'), ' ', 1)"), s.Version(); got != want {
		t.Errorf("the server is version %s, Version() = %s", got, want)
	}
	want := []string{"checkpoint_timeout=30min", "fsync=off", "max_connections=272", "max_locks_per_transaction=520",
		"max_wal_size=2GB", "shared_buffers=16MB", "work_mem=5MB"}
	if got := s.ChangedSettings(); !slices.Equal(got, want) {
		t.Errorf("ChangedSettings() = %q, want %q", got, want)
	}
	if got := ask(t, s, "select current_setting('listen_addresses')"); got != "" {
		t.Errorf("the server listens on %q", got)
	}
	for dir, want := range map[string]os.FileMode{s.process.folder.path: 0o700, s.socketDir: 0o700} {
		if s.process.account.switched && dir != s.socketDir {
			want = 0o710 // the account passes through
		}
		if info, err := os.Stat(dir); err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != want {
			t.Errorf("the mode of %s is %v, want %v", dir, info.Mode(), want)
		}
	}
	out, err := exec.Command("/bin/sh", "-c", s.HowToConnect()+" -Atc 'select 1+1'").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "2" {
		t.Errorf("%s: %v: %s", s.HowToConnect(), err, out)
	}
	postmaster, guard := s.process.cmd.Process.Pid, s.process.guard.cmd.Process.Pid
	for _, pid := range []int{postmaster, guard} {
		if group, err := syscall.Getpgid(pid); err != nil || group == syscall.Getpgrp() {
			t.Errorf("process %d would be interrupted together with this one: group %d, %v", pid, group, err)
		}
	}
	for range 2 {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}
	if running(postmaster) || running(guard) {
		t.Errorf("still running: postmaster %t, guard %t", running(postmaster), running(guard))
	}
	if !strings.Contains(s.Log(), "database system is ready to accept connections") {
		t.Errorf("Log() after Stop: %q", s.Log())
	}
	nothingIn(t, o.base)
}

func TestConcurrentStarts(t *testing.T) {
	t.Parallel()
	o := place(t)
	type started struct {
		s   *Server
		err error
	}
	servers := make(chan started)
	for range 3 {
		go func() {
			s, err := Start(context.Background(), o)
			servers <- started{s, err}
		}()
	}
	folders := map[string]bool{}
	for range 3 {
		r := <-servers
		if r.err != nil {
			t.Error(r.err)
			continue
		}
		folders[ask(t, r.s, "select current_setting('data_directory')")] = true
		defer func() {
			if err := r.s.Stop(); err != nil {
				t.Error(err)
			}
		}()
	}
	if len(folders) != 3 {
		t.Errorf("servers in %v", folders)
	}
	if left, err := filepath.Glob(filepath.Join(o.CacheDir, "clusters", ".*")); err != nil || len(left) > 0 {
		t.Errorf("left in the cache: %v, %v", left, err)
	}
}

func TestRefusedSettingLeavesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, setting, want string }{
		{"unknown", "nonsense=1", `FATAL: unrecognized configuration parameter "nonsense"`},
		{"bad value", "work_mem=plenty", `FATAL: invalid value for parameter "work_mem": "plenty"`},
		{"no shape", "work_mem", `server setting "work_mem" is not of the form name=value`},
		{"moves the server", "PORT=5433", "server setting port cannot be changed"},
	}
	o := place(t)
	for _, test := range tests {
		o := o
		o.Settings = []string{test.setting}
		s, err := Start(context.Background(), o)
		if err == nil {
			t.Errorf("%s: started: %v", test.name, s.Stop())
		} else if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %q lacks %q", test.name, err, test.want)
		}
		nothingIn(t, o.base)
	}
}

func TestStartGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	o := place(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s, err := Start(ctx, o)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Start = %v, %v", s, err)
	}
	nothingIn(t, o.base)
}

// The system identifier is chosen by initdb, so two clusters have the same one only if they are copies.
func TestTemplateIsUsedAgain(t *testing.T) {
	t.Parallel()
	o := place(t)
	identifier := func() string {
		t.Helper()
		s := start(t, o)
		id := ask(t, s, "select system_identifier::text from pg_control_system()")
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		return id
	}
	first := identifier()
	if again := identifier(); again != first {
		t.Errorf("the template was not used: %s, then %s", first, again)
	}
	control, err := filepath.Glob(filepath.Join(o.CacheDir, "clusters", "*/data/global/pg_control"))
	if err != nil || len(control) != 1 {
		t.Fatalf("%v, %v", control, err)
	}
	if err := os.Truncate(control[0], 100); err != nil {
		t.Fatal(err)
	}
	if rebuilt := identifier(); rebuilt == first {
		t.Error("a damaged template was used")
	}
}

// A cache below a file can be neither made nor written, by root either.
func TestUnwritableCache(t *testing.T) {
	t.Parallel()
	o := place(t)
	file := filepath.Join(o.CacheDir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o.CacheDir = filepath.Join(file, "cache")
	if got := ask(t, start(t, o), "select 1"); got != "1" {
		t.Errorf("select 1 = %s", got)
	}
}

// helperVar makes this test binary play the process that starts a server and then ends without a word.
const (
	helperVar = "PGSERVER_TEST_HELPER" // how it ends
	placeVar  = "PGSERVER_TEST_PLACE"  // base:cache
)

func TestMain(m *testing.M) {
	if how := os.Getenv(helperVar); how != "" {
		helper(how)
	}
	m.Run()
}

func helper(how string) {
	base, cache, _ := strings.Cut(os.Getenv(placeVar), ":")
	s, err := Start(context.Background(), Options{base: base, CacheDir: cache, Keep: how == "keep", Settings: []string{"shared_buffers=16MB"}})
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Stdout.WriteString(strings.Join([]string{s.process.folder.path, s.HowToStop(), s.DSN()}, "\n"))
	switch how {
	case "panic":
		panic("as asked")
	case "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	os.Exit(0)
}

// left is what a process that has ended left running, and what it wrote about it.
type left struct {
	folder, stopCmd, dsn string
	alive                *os.File
}

// run plays a process that ends in the way named. It gives it the writing end of a pipe, which the server and the guard
// inherit, so that the reading end tells when the last of them is gone.
func run(t *testing.T, o Options, how string) left {
	t.Helper()
	alive, inherited, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { alive.Close() })
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperVar+"="+how, placeVar+"="+o.base+":"+o.CacheDir)
	cmd.ExtraFiles = []*os.File{inherited}
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err := inherited.Close(); err != nil {
		t.Fatal(err)
	}
	words := strings.Split(string(out), "\n")
	if len(words) != 3 {
		t.Fatalf("%v: %s%s", err, out, complaints.String())
	}
	return left{words[0], words[1], words[2], alive}
}

// end waits until no process of a server that was left is there any more, and looks for what it left itself.
func (l left) end(t *testing.T, base string) {
	t.Helper()
	if _, err := io.ReadAll(l.alive); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(l.folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", l.folder, err)
	}
	nothingIn(t, base)
}

func TestGuardCleansUpAfter(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"panic", "killed", "exit without Stop"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			o := place(t)
			run(t, o, how).end(t, o.base)
		})
	}
}

func TestKeptServer(t *testing.T) {
	t.Parallel()
	o := place(t)
	kept := run(t, o, "keep")
	a, err := serverAccount()
	if err != nil {
		t.Fatal(err)
	}
	sweep(o.base, a)
	conn, err := pgconn.Connect(context.Background(), kept.dsn)
	if err != nil {
		t.Errorf("the kept server: %v", err)
	} else if err := conn.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if out, err := exec.Command("/bin/sh", "-c", kept.stopCmd).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", kept.stopCmd, err, out)
	}
	kept.end(t, o.base)
}

package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"qbench/internal/pgserver"
	"qbench/internal/result"
)

// process is qbench as a process of its own, on a server that it starts.
type process struct {
	cmd    *exec.Cmd
	stdout bytes.Buffer
	stderr *bufio.Reader
	said   strings.Builder
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	if _, err := pgserver.Find(""); err != nil {
		t.Skipf("%s needs PostgreSQL: %v", t.Name(), err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(self, args...)}
	p.cmd.Env = append(os.Environ(), beQbench+"=1")
	p.cmd.Stdout = &p.stdout
	pipe, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stderr = bufio.NewReader(pipe)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// waitFor reads standard error up to a line that matches, and returns its
// first group.
func (p *process) waitFor(t *testing.T, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for {
		line, err := p.stderr.ReadString('\n')
		p.said.WriteString(line)
		if m := re.FindStringSubmatch(line); m != nil {
			return m[len(m)-1]
		}
		if err != nil {
			t.Fatalf("no %q in:\n%s\nstdout:\n%s", pattern, &p.said, &p.stdout)
		}
	}
}

func (p *process) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// wait returns the exit status.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	if _, err := io.Copy(&p.said, p.stderr); err != nil {
		t.Fatal(err)
	}
	err := p.cmd.Wait()
	var ee *exec.ExitError
	if err != nil && !errors.As(err, &ee) {
		t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode()
}

// serverFolder is the folder of the server that a run has started. No output
// names it, so the processes are asked.
func serverFolder(t *testing.T, p *process) string {
	t.Helper()
	out, err := exec.Command("ps", "-o", "args=", "--ppid", fmt.Sprint(p.cmd.Process.Pid)).Output()
	if err != nil {
		t.Fatalf("ps: %v", err)
	}
	m := regexp.MustCompile(`(\S*/qbench-\d+)`).FindString(string(out))
	if m == "" {
		t.Fatalf("no server among the children of qbench:\n%s", out)
	}
	return m
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			// What nohup ignores stays ignored in children, unless it is caught here.
			signal.Notify(make(chan os.Signal, 1), s)
			path := filepath.Join(t.TempDir(), "result.json")
			p := start(t, "run", "-s", "skip-locked", "-c", "4", "-T", "3600", "-P", "1", "--orders", "300000", "--pg-setting", "fsync=off", "--json", path)
			p.waitFor(t, "^progress: ")
			folder := serverFolder(t, p)
			p.signal(t, s)
			if status := p.wait(t); status != int(StatusInterrupted) {
				t.Errorf("exit status %d, want 130; stderr:\n%s", status, &p.said)
			}
			text := p.stdout.String()
			for _, want := range []string{"\ninterrupted ", "\naudit         ok", "number of transactions actually processed: "} {
				if !strings.Contains(text, want) {
					t.Errorf("the report has no %q:\n%s", want, text)
				}
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			saved, err := result.Read(f)
			if err != nil {
				t.Fatal(err)
			}
			if r := saved.Runs[0]; !r.Interrupted || !r.Audit.OK || r.Audit.Processed != r.Acknowledged || r.Orders == 0 {
				t.Errorf("interrupted %v, %d orders, audit %+v", r.Interrupted, r.Orders, r.Audit)
			}
			if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the server's folder %s is still there (%v)", folder, err)
			}
		})
	}
}

// The second signal waits for no measurement, and the server goes all
// the same.
func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	stuck := []string{"-s", "for-update", "--work", "1h", "--orders", "1000", "--pg-setting", "fsync=off"}
	for command, c := range map[string]struct {
		flags         []string
		started, said string
	}{
		"run":      {[]string{"-c", "4", "-P", "1"}, "^progress: ", "stopped at once"},
		"ab":       {[]string{"-c", "4", "--a", "", "--grace", "1h"}, "^order of the runs: ", "interrupted before the first pair"},
		"capacity": {[]string{"--clients", "4"}, "^started PostgreSQL ", "stopped at once"},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			p := start(t, append(append([]string{command}, c.flags...), stuck...)...)
			p.waitFor(t, c.started)
			folder := serverFolder(t, p)
			p.signal(t, os.Interrupt)
			p.waitFor(t, "press Ctrl-C again to quit immediately")
			p.signal(t, os.Interrupt)
			if status := p.wait(t); status != int(StatusInterrupted) {
				t.Errorf("exit status %d, want 130", status)
			}
			if said := p.said.String(); !strings.Contains(said, c.said) && !strings.Contains(said, "interrupted") || strings.Contains(said, "aborted") {
				t.Errorf("stderr:\n%s", said)
			}
			if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the server's folder %s is still there (%v)", folder, err)
			}
		})
	}
}

// A refused password is named as such, and shown nowhere.
func TestWrongPassword(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go refuse(listener)
	const password = "s3cret-Passw0rd"
	status, stdout, stderr := call("run", "-s", "skip-locked", "--dsn", "postgres://ann:"+password+"@"+listener.Addr().String()+"/shop?sslmode=disable")
	if status != int(StatusUsage) || stdout != "" {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
	for _, want := range []string{"database shop, user ann", `password authentication failed for user "ann"`, "check the password in PGPASSWORD, ~/.pgpass or --dsn"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in %s", want, stderr)
		}
	}
	if strings.Contains(stderr, password) {
		t.Errorf("the password is shown: %s", stderr)
	}
}

// refuse is a server that accepts no password.
func refuse(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		backend := pgproto3.NewBackend(conn, conn)
		if _, err := backend.ReceiveStartupMessage(); err == nil {
			backend.Send(&pgproto3.AuthenticationCleartextPassword{})
			if backend.Flush() == nil && backend.SetAuthType(pgproto3.AuthTypeCleartextPassword) == nil {
				if _, err := backend.Receive(); err == nil {
					backend.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "28P01", Message: `password authentication failed for user "ann"`})
					_ = backend.Flush()
				}
			}
		}
		conn.Close()
	}
}

func TestRecordedArgs(t *testing.T) {
	t.Parallel()
	got := recordedArgs([]string{"qbench", "run", "--dsn", "postgres://u:secret@h/d", "--dsn=host=h password=secret", "-c8"})
	want := []string{"qbench", "run", "--dsn", "postgres://u:xxxxx@h/d", "--dsn=host=h password=xxxxx", "-c8"}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%q, want %q", got, want)
	}
}

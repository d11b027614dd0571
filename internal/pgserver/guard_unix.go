//go:build linux || darwin

package pgserver

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// guardScript reads what there is to guard, one word a line: a process id, "none", or "done". At the end of its input,
// which the kernel brings about however the writer ended, it stops the last process named and removes the folders, the
// server's own first. The server's lock file tells when it is gone; the process id would not, if no process reaps orphans. The loops
// are bounded (10 s and 5 s), so that a guard never stays for good.
const guardScript = `
pid=none
while read -r word; do
	[ "$word" = done ] && exit 0
	pid=$word
done
if [ "$pid" != none ]; then
	kill -QUIT "$pid" 2>/dev/null
	n=0
	while [ -e "$1/server/data/postmaster.pid" ] && [ $n -lt 100 ]; do
		sleep 0.1
		n=$((n + 1))
	done
fi
n=0
until { rm -rf "$1/server" && rm -rf "$@"; } 2>/dev/null || [ $n -ge 50 ]; do
	sleep 0.1
	n=$((n + 1))
done
`

// guard is the process that cleans up after this one when it can't do so itself.
type guard struct {
	cmd  *exec.Cmd
	line io.WriteCloser
}

// startGuard starts the guard of a server's folders, the one with the data first. It runs as the current user, who may
// remove them whatever they are in.
func startGuard(folders []string) (*guard, error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", guardScript, "qbench-guard"}, folders...)...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	line, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("pipe to the disposable server's guard: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the disposable server's guard: %w", err)
	}
	return &guard{cmd: cmd, line: line}, nil
}

// watch names the process to stop; it replaces the one named before.
func (g *guard) watch(pid int) error { return g.say(strconv.Itoa(pid)) }

// nothing says that the process named last is gone, before its id can belong to another one.
func (g *guard) nothing() error { return g.say("none") }

func (g *guard) say(word string) error {
	if _, err := io.WriteString(g.line, word+"\n"); err != nil {
		return fmt.Errorf("disposable server's guard: %w", err)
	}
	return nil
}

// release ends the guard; it leaves everything as it is. A guard that somebody killed has nothing left to release.
func (g *guard) release() {
	_ = g.say("done")
	_ = g.line.Close()
	_ = g.cmd.Wait()
}

// runGuarded runs a command to its end with the guard knowing of it.
func runGuarded(cmd *exec.Cmd, g *guard) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	watchErr := g.watch(cmd.Process.Pid)
	return errors.Join(cmd.Wait(), watchErr, g.nothing())
}

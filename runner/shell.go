package runner

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"qbench/runner/script"
)

// runShell runs a command without holding up the loop's other clients,
// which pgbench's system() does.
func (c *client) runShell(st *step) {
	line, err := st.ShellLine(c.vars)
	if err != nil {
		c.loop.run.message("error", err.Error())
		c.commandFailed(st.Name, "execution of meta-command failed")
		return
	}
	c.state = stShell
	c.waited = true
	l := c.loop
	go func() {
		cmd := exec.CommandContext(l.run.ctx, "sh", "-c", line)
		var out []byte
		var err error
		if st.Kind == script.SetShell {
			cmd.Stderr = l.run.cfg.Stderr
			out, err = shellResult(cmd)
		} else {
			cmd.Stdout, cmd.Stderr = l.run.cfg.Stdout, l.run.cfg.Stderr
			err = cmd.Run()
		}
		l.post(func() { c.shellDone(st, line, out, err) })
	}()
}

func (c *client) shellDone(st *step, line string, out []byte, err error) {
	if c.state != stShell {
		return // the client has ended meanwhile
	}
	c.state = stEndCommand
	fail := func(message string) {
		c.loop.run.message("error", message)
		c.commandFailed(st.Name, "execution of meta-command failed")
	}
	word := strings.Fields(line)[0]
	switch {
	case err != nil && st.Kind == script.Shell:
		fail(word + ": could not launch shell command")
	case st.Kind == script.SetShell:
		// As pgbench, the exit status does not count.
		if len(out) == 0 {
			fail(word + ": could not read result of shell command")
			break
		}
		text, _, _ := strings.Cut(string(out), "\x00") // a C string
		n, ok := cInt(text)
		if !ok {
			fail(fmt.Sprintf("%s: shell command must return an integer (not \"%s\")", word, text))
			break
		}
		if name := st.BadName(); name != "" {
			c.badVariable(st, name, "execution")
			break
		}
		c.vars.Set(st.Slot, script.Int(n))
	}
	c.loop.yield(c)
}

// longestResult is how much \setshell reads of a command's output: pgbench's buffer without its closing zero.
const longestResult = 63

// shellResult runs a command and returns the first line of its output with the line's end, and of a long line its beginning. As with
// pgbench nothing more is read: a command that goes on writing ends by SIGPIPE.
func shellResult(cmd *exec.Cmd) ([]byte, error) {
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReaderSize(io.LimitReader(pipe, longestResult), longestResult).ReadSlice('\n')
	if errors.Is(err, io.EOF) || errors.Is(err, bufio.ErrBufferFull) {
		err = nil
	}
	return line, errors.Join(err, pipe.Close(), cmd.Wait())
}

const blanks = " \t\n\v\f\r"

// cInt reads a number as pgbench reads a command's result: strtol, cast to a C int, with blanks around it. A text of
// blanks alone is 0, and no text is no number.
func cInt(text string) (int64, bool) {
	digits := strings.Trim(text, blanks)
	if digits == "" {
		return 0, text != ""
	}
	n, err := strconv.ParseInt(digits, 10, 64) // out of range it gives the nearest number, as strtol does
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false
	}
	return int64(int32(n)), true
}

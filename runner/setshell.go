package runner

import (
	"bufio"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

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

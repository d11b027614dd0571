package cli

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"qbench/internal/pgserver/pgtest"
)

// screen is as much of a terminal as qbench uses: what is on each line at the
// end, what each line has shown, and how wide it ever was.
type screen struct {
	lines  []string
	shown  []string // states of the bottom line that were overwritten
	widest int
	line   []rune
	column int
}

func (s *screen) put(c rune) {
	for len(s.line) <= s.column {
		s.line = append(s.line, ' ')
	}
	s.line[s.column] = c
	s.column++
	s.widest = max(s.widest, s.column)
}

var escape = regexp.MustCompile(`^\x1b\[([0-9;?]*)([A-Za-z])`)

func (s *screen) write(text string) error {
	for text != "" {
		if m := escape.FindStringSubmatch(text); m != nil {
			switch m[2] {
			case "K":
				s.line = s.line[:min(s.column, len(s.line))]
			case "m":
			default:
				return fmt.Errorf("an unexpected escape sequence %q", m[0])
			}
			text = text[len(m[0]):]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch r {
		case '\n':
			s.lines = append(s.lines, strings.TrimRight(string(s.line), " "))
			s.line, s.column = nil, 0
		case '\r':
			if state := strings.TrimSpace(string(s.line)); state != "" {
				s.shown = append(s.shown, state)
			}
			s.column = 0
		default:
			s.put(r)
		}
	}
	return nil
}

// onTerminal runs qbench on a terminal of 80 columns and gives back what was
// on it.
func onTerminal(t *testing.T, env []string, args ...string) *screen {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal can be made: %v", err)
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal can be made: %v", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(append(os.Environ(), beQbench+"=1", "TERM=xterm", "LANG=C.UTF-8", "LC_ALL="), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Close()
	var text []byte
	buf := make([]byte, 1<<16)
	for {
		n, err := master.Read(buf)
		text = append(text, buf[:n]...)
		if err != nil { // EIO: nobody has the other end open
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	s := &screen{}
	if err := s.write(string(text)); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
	return s
}

// A run on a terminal: one line that is overwritten, never wider than the
// screen, and gone at the end; the report has charts.
func TestTerminal(t *testing.T) {
	t.Parallel()
	dsn, schema := pgtest.Schema(t)
	args := []string{"run", "--dsn", dsn, "--schema-name", schema, "-s", "skip-locked", "-c", "4", "-T", "2", "--orders", "100000"}
	s := onTerminal(t, nil, args...)
	if s.widest > 80 {
		t.Errorf("a line is %d columns wide", s.widest)
	}
	status := regexp.MustCompile(`^1 of 2 s: [0-9,]+ orders/s, [0-9,]+ tps, p99 [0-9.]+ ms, [0-9,]+ left, 0 failed$`)
	if !anyMatches(status, s.shown) {
		t.Errorf("no status line was shown, but\n%s", strings.Join(s.shown, "\n"))
	}
	all := strings.Join(s.lines, "\n")
	if strings.Contains(all, " of 2 s: ") || strings.Contains(all, "seeding") {
		t.Errorf("a status line stays:\n%s", all)
	}
	if !strings.Contains(all, "latency percentiles in ms") || !strings.Contains(all, "┤") {
		t.Errorf("no charts:\n%s", all)
	}

	// With -P there are lines instead, and charts can be turned off.
	s = onTerminal(t, []string{"NO_COLOR=1"}, append(args, "-P", "1", "--no-charts")...)
	if !anyMatches(regexp.MustCompile(`^progress: 1\.[0-9] s, `), strings.Split(strings.Join(s.lines, "\n"), "\n")) {
		t.Errorf("no progress line:\n%s", strings.Join(s.lines, "\n"))
	}
	if anyMatches(regexp.MustCompile(` of 2 s: `), s.shown) {
		t.Errorf("a status line beside -P:\n%s", strings.Join(s.shown, "\n"))
	}
	if strings.Contains(strings.Join(s.lines, "\n"), "latency percentiles in ms") {
		t.Error("charts in spite of --no-charts")
	}
}

func anyMatches(re *regexp.Regexp, list []string) bool {
	for _, s := range list {
		if re.MatchString(s) {
			return true
		}
	}
	return false
}

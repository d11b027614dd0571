package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"

	"qbench/internal/amount"
	"qbench/internal/bench"
	"qbench/internal/printable"
	"qbench/internal/result"
	"qbench/internal/terminal"
	"qbench/report"
	"qbench/schema"
)

// console writes what happens to standard error: a line for each step and, on
// a terminal, one line at the bottom that is overwritten as work goes on.
// Several goroutines use it.
type console struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	width    int
	status   bool // the bottom line is in use
	bar      *progressbar.ProgressBar
}

func newConsole(w io.Writer) *console {
	w = printable.Unwrap(w)
	return &console{w: w, terminal: terminal.Is(w), width: terminal.Width(w)}
}

// note writes a line.
func (c *console) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	text := printable.Text(fmt.Sprintf(format, args...))
	if c.terminal && !strings.Contains(text, "\n") {
		wrapAt(c.w, c.width, "", "  ", text)
		return
	}
	fmt.Fprintln(c.w, text)
}

// show puts text on the bottom line; elsewhere than on a terminal it does
// nothing.
func (c *console) show(format string, args ...any) {
	if !c.terminal {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	c.width = terminal.Width(c.w) // the window may have been resized
	text := []rune(printable.Line(fmt.Sprintf(format, args...)))
	// The last column stays free: some terminals wrap as soon as it is written.
	_, _ = io.WriteString(c.w, string(text[:min(len(text), c.width-1)]))
	c.status = true
}

// hide takes the bottom line away.
func (c *console) hide() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
}

func (c *console) clear() {
	if c.bar != nil {
		_ = c.bar.Clear()
		c.bar = nil
	}
	if c.status {
		_, _ = io.WriteString(c.w, "\r\x1b[K")
		c.status = false
	}
}

// seeding shows how far the seeding has come.
func (c *console) seeding(done, total int64) {
	if !c.terminal {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar == nil {
		c.clear()
		c.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(c.w), progressbar.OptionSetDescription("seeding"), progressbar.OptionSetItsString("orders"),
			progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	_ = c.bar.Set64(done)
	if done >= total {
		_ = c.bar.Clear()
		c.bar = nil
		_, _ = io.WriteString(c.w, "\rseeding: indexes, vacuum")
		c.status = true
	}
}

func (c *console) seeded(r schema.SeedReport) {
	c.note("seeded %s orders in %.1f s", amount.Grouped(r.Orders), r.Total.Seconds())
}

func messageFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "progress", Aliases: []string{"P"}, Category: categoryMessage, Usage: "`N`: print a line every N seconds"},
		&cli.BoolFlag{Name: "verbose-errors", Category: categoryMessage, Usage: "print every failed and every repeated transaction"},
	}
}

// messages prints what the runner says, as pgbench does. When one error ends
// hundreds of clients, the first few say what there is to know.
type messages struct {
	con *console
	all bool
	// quiet ends when clients are cut off on purpose: what they say then is
	// not news.
	quiet  context.Context
	mu     sync.Mutex
	errors int
}

const errorsShown = 5

func (m *messages) message(level, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.quiet.Err() != nil {
		return
	}
	switch {
	case level == "":
		m.con.note("%s", text)
		return
	case level == "error" && !m.all:
		if m.errors++; m.errors > errorsShown {
			return
		}
	}
	if level != "info" {
		level += ": "
	} else {
		level = ""
	}
	m.con.note("qbench: %s%s", level, text)
}

// close says how many errors were not shown.
func (m *messages) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if hidden := m.errors - errorsShown; hidden > 0 {
		m.con.note("qbench: %d more clients ended with an error; --verbose-errors prints them all", hidden)
	}
}

// hooks connect a run to the console.
func (c *console) hooks(m *messages, title string, progress bool) bench.Hooks {
	var spec bench.Spec
	var failed int64
	return bench.Hooks{
		Seeding: c.seeding,
		Seeded:  c.seeded,
		Running: func(s bench.Spec) {
			spec = s
			if title != "" {
				c.note("%s", title)
			}
		},
		Tick: func(t result.Tick) {
			if progress {
				c.note("%s", progressOf(spec).Line(t))
				return
			}
			failed += t.Failed
			c.show("%s", progressOf(spec).Status(t, failed, c.columns()))
		},
		Auditing: func() { c.show("auditing") },
		Waiting:  func(what string) { c.note("%s", what) },
		Message:  m.message,
	}
}

// columns is the room on the bottom line.
func (c *console) columns() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.width - 1
}

// progressOf is how a run is reported while it is under way.
func progressOf(s bench.Spec) report.Progress {
	l := &s.Load
	return report.Progress{
		Scheduled: s.Rate > 0, Limited: l.LatencyLimit > 0, Retries: l.MaxTries != 1, Orders: s.Mix.CountsOrders(), Warmup: l.Warmup, Duration: l.Duration,
	}
}

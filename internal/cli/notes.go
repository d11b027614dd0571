package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"

	"qbench/internal/amount"
	"qbench/internal/bench"
	"qbench/internal/printable"
	"qbench/internal/result"
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
	return &console{w: w, terminal: isTerminal(w), width: screenWidth(w)}
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
	c.width = screenWidth(c.w) // the window may have been resized
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

// progressLine is pgbench's line of -P, with what it does not know behind it.
func progressLine(t result.Tick, rate, limit, retries, orders bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "progress: %.1f s, %.1f tps, lat %.3f ms stddev %.3f, %d failed", t.AtS, t.TPS, t.MeanMS, t.StdDevMS, t.Failed)
	if rate {
		fmt.Fprintf(&b, ", lag %.3f ms", t.LagMS)
		if limit {
			fmt.Fprintf(&b, ", %d skipped", t.Skipped)
		}
	}
	if retries {
		fmt.Fprintf(&b, ", %d retried, %d retries", t.Retried, t.Retries)
	}
	if orders {
		fmt.Fprintf(&b, ", %.1f orders/s", t.OrdersPerS)
		if t.EnqueuedPerS > 0 {
			fmt.Fprintf(&b, ", %.1f enqueued/s", t.EnqueuedPerS)
		}
		if t.Depth >= 0 {
			fmt.Fprintf(&b, ", %d left", t.Depth)
		}
	}
	if t.Warmup {
		b.WriteString(", warm-up")
	}
	return b.String()
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
				c.note("%s", progressLine(t, spec.Rate > 0, spec.Load.LatencyLimit > 0, spec.Load.MaxTries != 1, spec.Mix.CountsOrders()))
				return
			}
			failed += t.Failed
			c.show("%s", statusLine(t, spec, failed, c.columns()))
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

// statusLine is the bottom line during a run: what it says of the last
// interval, but for the transactions that failed until now. Where it is wider
// than the screen, the less telling parts are left out.
func statusLine(t result.Tick, s bench.Spec, failed int64, columns int) string {
	elapsed := fmt.Sprintf("%.0f s", t.AtS)
	if total := (s.Load.Warmup + s.Load.Duration).Seconds(); s.Load.Duration > 0 {
		elapsed = fmt.Sprintf("%.0f of %.0f s", t.AtS, total)
	}
	if t.AtS-t.LengthS < s.Load.Warmup.Seconds() {
		// Nothing is counted yet.
		if t.Depth < 0 {
			return elapsed + ": warming up"
		}
		return elapsed + ": warming up, " + amount.Grouped(t.Depth) + " left"
	}
	tps := amount.Grouped(int64(t.TPS)) + " tps"
	parts := []string{tps, fmt.Sprintf("p99 %.1f ms", t.P99MS)}
	optional := 0 // of the parts, the one that goes first; 0 where none may
	if s.Mix.CountsOrders() {
		parts = append([]string{amount.Grouped(int64(t.OrdersPerS)) + " orders/s"}, parts...)
		optional = 1
	}
	if t.Depth >= 0 {
		parts = append(parts, amount.Grouped(t.Depth)+" left")
	}
	parts = append(parts, amount.Grouped(failed)+" failed")
	line := elapsed + ": " + strings.Join(parts, ", ")
	if optional > 0 && len(line) > columns {
		parts = slices.Delete(parts, optional, optional+1)
		line = elapsed + ": " + strings.Join(parts, ", ")
	}
	for len(line) > columns && len(parts) > 1 {
		parts = parts[:len(parts)-1]
		line = elapsed + ": " + strings.Join(parts, ", ")
	}
	return line
}

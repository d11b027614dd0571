package capacity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"qbench/internal/result"
)

// Latency names what a level is about.
type Latency string

const (
	Transaction Latency = "transaction" // of the workers, from the (scheduled) start to the end
	QueueTime   Latency = "queue"       // from being visible to being taken
	EndToEnd    Latency = "e2e"         // from being enqueued to being done
)

// Level is a service level: all of its terms have to hold.
type Level []Term

// Term bounds one statistic of one latency.
type Term struct {
	Latency Latency `json:"latency"`
	Stat    string  `json:"stat"` // mean, p50, p90, p95, p99, p99.9 or max
	LimitMS float64 `json:"limit_ms"`
}

// statistics by the names a level may use.
var statistics = []struct {
	name string
	of   func(*result.Latency) float64
}{
	{"mean", func(p *result.Latency) float64 { return p.Mean }},
	{"p50", func(p *result.Latency) float64 { return p.P50 }},
	{"p90", func(p *result.Latency) float64 { return p.P90 }},
	{"p95", func(p *result.Latency) float64 { return p.P95 }},
	{"p99", func(p *result.Latency) float64 { return p.P99 }},
	{"p99.9", func(p *result.Latency) float64 { return p.P999 }},
	{"max", func(p *result.Latency) float64 { return p.Max }},
}

var units = []struct {
	name string
	ms   float64
}{{"ns", 1e-6}, {"us", 1e-3}, {"µs", 1e-3}, {"ms", 1}, {"s", 1e3}, {"min", 6e4}}

// ParseLevel reads a level such as "p99<20ms" or "queue p99 < 5ms, e2e max<1s":
// terms separated by commas, each an optional latency (transaction, queue or
// e2e; by default fallback), a statistic, "<" or "<=", and a number with its
// unit. A unit is required: a level of 20 could mean seconds.
func ParseLevel(text string, fallback Latency) (Level, error) {
	var level Level
	for part := range strings.SplitSeq(text, ",") {
		t, err := parseTerm(part, fallback)
		if err != nil {
			return nil, fmt.Errorf("service level %q: %w", text, err)
		}
		level = append(level, t)
	}
	return level, nil
}

func parseTerm(text string, fallback Latency) (Term, error) {
	left, right, found := strings.Cut(text, "<")
	if !found {
		return Term{}, fmt.Errorf("%q has no '<': write it like p99<20ms", strings.TrimSpace(text))
	}
	t := Term{Latency: fallback}
	words := strings.Fields(left)
	if len(words) == 2 {
		t.Latency = Latency(words[0])
		words = words[1:]
	}
	if len(words) != 1 {
		return Term{}, fmt.Errorf("%q is not a statistic: write it like 'p99<20ms' or 'queue p99<20ms'", strings.TrimSpace(left))
	}
	switch t.Latency {
	case Transaction, QueueTime, EndToEnd:
	default:
		return Term{}, fmt.Errorf("unknown latency %q: one of transaction, queue, e2e", t.Latency)
	}
	t.Stat = words[0]
	var names []string
	for _, s := range statistics {
		names = append(names, s.name)
	}
	if !slices.Contains(names, t.Stat) {
		return Term{}, fmt.Errorf("unknown statistic %q: one of %s", t.Stat, strings.Join(names, ", "))
	}
	limit, err := parseMillis(strings.TrimSpace(strings.TrimPrefix(right, "=")))
	if err != nil {
		return Term{}, err
	}
	t.LimitMS = limit
	return t, nil
}

func parseMillis(text string) (float64, error) {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzµ")
	unit := text[len(digits):]
	number, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	for _, u := range units {
		if u.name == unit && err == nil && number*u.ms > 0 && number*u.ms < 1e12 {
			return number * u.ms, nil
		}
	}
	return 0, fmt.Errorf("%q is not a limit: write a number above 0 and a unit (us, ms, s), like 20ms", text)
}

// String writes the level so that [ParseLevel] reads it again.
func (l Level) String() string {
	parts := make([]string, len(l))
	for i, t := range l {
		parts[i] = t.String()
	}
	return strings.Join(parts, ", ")
}

// String is the term in the words of the command line.
func (t Term) String() string {
	return fmt.Sprintf("%s %s<%s", t.Latency, t.Stat, millisText(t.LimitMS))
}

// of finds the term's value in a sample; false where the run did not measure
// that latency.
func (t Term) of(s *result.Sample) (float64, bool) {
	p := &s.Latency
	switch t.Latency {
	case QueueTime:
		p = s.QueueTime
	case EndToEnd:
		p = s.EndToEnd
	}
	if p == nil {
		return 0, false
	}
	for _, st := range statistics {
		if st.name == t.Stat {
			return st.of(p), true
		}
	}
	return 0, false
}

// millisText writes milliseconds with the unit that reads best and loses
// nothing.
func millisText(ms float64) string {
	switch {
	case ms >= 1000:
		return strconv.FormatFloat(ms/1000, 'g', -1, 64) + "s"
	case ms < 1:
		return strconv.FormatFloat(ms*1000, 'g', -1, 64) + "us"
	default:
		return strconv.FormatFloat(ms, 'g', -1, 64) + "ms"
	}
}

package result

import (
	"fmt"
	"strconv"
	"strings"
)

// units maps the units of thresholds to those of metrics, with their size in
// them.
var units = map[string]struct {
	of   string
	size float64
}{
	"us": {"ms", 0.001}, "µs": {"ms", 0.001}, "ms": {"ms", 1}, "s": {"ms", 1000},
	"%": {"%", 1},
}

// operators are in the order of being tried.
var operators = []string{">=", "<=", ">", "<"}

// ParseThreshold reads METRIC OP VALUE[UNIT]: a name of [Metrics], one of
// > >= < <=, and a number with us, ms or s after a time, % or nothing after a
// count. Blanks between them do not matter. Errors name the column and what is
// known there.
func ParseThreshold(text string) (Threshold, error) {
	p := thresholdParser{text: text}
	t, err := p.parse()
	if err != nil {
		return Threshold{}, fmt.Errorf("threshold %q: column %d: %w", text, p.start+1, err)
	}
	return t, nil
}

type thresholdParser struct {
	text  string
	pos   int
	start int // of the part that is being read, for errors
}

// take reads the longest run of bytes that ok accepts, after blanks.
func (p *thresholdParser) take(ok func(byte) bool) string {
	for p.pos < len(p.text) && (p.text[p.pos] == ' ' || p.text[p.pos] == '\t') {
		p.pos++
	}
	p.start = p.pos
	for p.pos < len(p.text) && ok(p.text[p.pos]) {
		p.pos++
	}
	return p.text[p.start:p.pos]
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func (p *thresholdParser) parse() (t Threshold, err error) {
	name := p.take(func(c byte) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || digit(c) || c == '_' || c == '.'
	})
	if name == "" {
		return t, fmt.Errorf("expected the name of a metric; known are %s", MetricList())
	}
	if t.Metric, err = LookupMetric(name); err != nil {
		return t, err
	}
	if t.Op, err = p.operator(); err != nil {
		return t, err
	}
	if t.Value, err = p.number(); err != nil {
		return t, err
	}
	return t, p.unit(&t)
}

func (p *thresholdParser) operator() (string, error) {
	found := p.take(func(c byte) bool { return strings.IndexByte("<>=!", c) >= 0 })
	for _, op := range operators {
		if found == op {
			return op, nil
		}
	}
	return "", fmt.Errorf("expected > >= < or <=, found %q", p.found(found))
}

// found is the part that was read or, if that is empty, what stands there.
func (p *thresholdParser) found(part string) string {
	if part == "" {
		return p.text[p.start:]
	}
	return part
}

func (p *thresholdParser) number() (float64, error) {
	number := p.take(func(c byte) bool { return digit(c) || c == '.' })
	// An exponent is one only with digits; otherwise it begins a unit.
	if number != "" {
		if rest := p.text[p.pos:]; rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
			n := 1
			if len(rest) > n && (rest[n] == '+' || rest[n] == '-') {
				n++
			}
			digits := n
			for digits < len(rest) && digit(rest[digits]) {
				digits++
			}
			if digits > n {
				number += rest[:digits]
				p.pos += digits
			}
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, fmt.Errorf("expected a number, found %q", p.found(number))
	}
	return v, nil
}

func (p *thresholdParser) unit(t *Threshold) error {
	text := strings.TrimRight(p.take(func(byte) bool { return true }), " \t")
	u := units[text]
	m := t.Metric
	switch {
	case m.Unit == "ms" && u.of != "ms":
		return fmt.Errorf("%s is a time and takes us, ms or s, not %q", m.Name, text)
	case m.Unit == "%" && u.of != "%":
		return fmt.Errorf("%s is a share and takes %%, not %q", m.Name, text)
	case m.Total != nil && text != "" && u.of != "%":
		return fmt.Errorf("%s is a count and takes no unit, or %% of %s, not %q", m.Name, m.Whole, text)
	case m.Unit != "ms" && m.Unit != "%" && m.Total == nil && text != "":
		return fmt.Errorf("%s takes no unit, found %q", m.Name, text)
	}
	if text == "µs" {
		text = "us"
	}
	t.Unit = text
	return nil
}

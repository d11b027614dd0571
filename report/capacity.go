package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// Capacity writes what capacity planning found, for a terminal: for each
// strategy the sweep as a table and, with Options.Charts, a chart, the fitted
// law, the rate under the level and the drift of a soak; then the comparison.
func Capacity(w io.Writer, r *result.File, o Options) error {
	p := newPage(o)
	if len(r.AllCapacities()) == 0 {
		p.line("nothing was measured")
	}
	for i, s := range r.AllCapacities() {
		if i > 0 {
			p.line("")
		}
		p.heading("capacity of " + strategyTitle(s))
		p.capacityStrategy(s)
	}
	if r.CapacityRanking != nil {
		p.line("")
		p.heading("comparison")
		p.plainTable(contenderColumns(r.CapacityRanking))
		p.line("")
		p.labelled("recommended", "%s", r.CapacityRanking.Answer)
	}
	return p.writeTo(w)
}

// CapacityMarkdown writes the same as [Capacity] in GitHub's dialect.
func CapacityMarkdown(w io.Writer, r *result.File, _ Options) error {
	p := newPage(Options{})
	if c := r.CapacityRanking; c != nil {
		p.line("**%s**", markdown(sentence(c.Answer)))
		p.line("")
		p.markdownTable(contenderColumns(c))
		p.line("")
	}
	for _, s := range r.AllCapacities() {
		p.line("### Capacity of %s", markdown(strategyTitle(s)))
		p.line("")
		if s.Sweep != nil && len(s.Sweep.Rows) > 0 {
			p.markdownTable(sweepColumns(s.Sweep))
			p.line("")
		}
		for _, f := range findings(s) {
			p.line("- **%s:** %s", f.label, markdown(f.text))
		}
		p.line("")
	}
	if len(r.AllCapacities()) == 0 {
		p.line("Nothing was measured.")
	}
	return p.writeTo(w)
}

func strategyTitle(s *result.Capacity) string {
	title := s.Name
	if s.Layout != "" {
		title += ", " + s.Layout
	}
	return title
}

func (p *page) capacityStrategy(s *result.Capacity) {
	if s.Sweep != nil && len(s.Sweep.Rows) > 0 {
		p.plainTable(sweepColumns(s.Sweep))
		p.capacityChart(s.Sweep)
		p.line("")
	}
	for _, f := range findings(s) {
		if !p.Unicode {
			f.text = greek.Replace(f.text)
		}
		if f.style == plain {
			p.labelled(f.label, "%s", f.text)
			continue
		}
		p.wrap(fmt.Sprintf("%-*s", labelWidth, f.label), strings.Repeat(" ", labelWidth), f.style, f.text)
	}
}

// finding is one labelled sentence.
type finding struct {
	label, text string
	style       style
}

// findings of a strategy, in the order of reading: what was asked for, and
// then what it rests on.
func findings(s *result.Capacity) []finding {
	var out []finding
	add := func(label, text string, st style) { out = append(out, finding{label, text, st}) }
	if s.Invalid != "" {
		add("invalid", s.Invalid, alarm)
	}
	if sw := s.Sweep; sw != nil {
		add("clients", sw.Answer, outcomeStyle(sw.Outcome))
		if f := sw.Fit; f != nil {
			add("law", lawText(f), plain)
			if f.Misfit != "" {
				add("warning", f.Misfit, caution)
			}
		}
		if sw.FitProblem != "" {
			add("law", "not fitted: "+sw.FitProblem, plain)
		}
		for _, n := range sw.Notes {
			add("note", n, caution)
		}
	}
	if se := s.Search; se != nil {
		add("level", se.Answer, outcomeStyle(se.Outcome))
		if text := marginText(se); text != "" {
			add("margin", text, plain)
		}
	}
	if t := s.Target; t != nil {
		add("target", t.Answer, outcomeStyle(t.Outcome))
	}
	for _, d := range s.Soak {
		st := plain
		if d.BreaksInH != nil {
			st = caution
		}
		add("soak", d.Answer, st)
	}
	return out
}

func outcomeStyle(o result.CapacityOutcome) style {
	switch o {
	case result.CapacityFound:
		return strong
	case result.CapacityAtLeast:
		return plain
	default:
		return caution
	}
}

// marginText says how well the rate is known, where one was found.
func marginText(s *result.Search) string {
	if s.Outcome != result.CapacityFound {
		return ""
	}
	low, high := rate(s.Rate.Low), rate(s.Rate.High)
	if math.IsInf(s.Rate.High, 0) {
		high = "unknown"
	}
	text := fmt.Sprintf("between %s and %s orders/s, from %s", low, high, amount.Count(int64(s.Points), "measurement"))
	if s.ConfirmRuns > 0 {
		text += fmt.Sprintf(", confirmed by %d of %.4g s", s.ConfirmRuns, s.ConfirmS)
		if s.BacklogS > 0 {
			text += fmt.Sprintf(" that began with %.4g s of orders waiting", s.BacklogS)
		}
	}
	return text
}

// lawText is the fitted law with its intervals.
func lawText(f *result.Fit) string {
	knee := "it never turns down"
	if f.TurnsDown() {
		knee = fmt.Sprintf("knee at %.0f clients%s with %s orders/s", f.Knee.Value, within(f.Knee, "%.0f"), rate(f.PeakPerS))
	} else if f.PeakPerS > 0 {
		knee = fmt.Sprintf("no knee, ceiling %s orders/s", rate(f.PeakPerS))
	}
	return fmt.Sprintf("λ %s orders/s%s, σ %.3g%s, κ %.2g%s, R² %.3f; %s",
		rate(f.Lambda.Value), within(f.Lambda, "%.0f"), f.Sigma.Value, within(f.Sigma, "%.2g"), f.Kappa.Value, within(f.Kappa, "%.2g"), f.R2, knee)
}

// greek spells the law's parameters out where a terminal has no Greek.
var greek = strings.NewReplacer("λ", "lambda", "σ", "sigma", "κ", "kappa", "R²", "R^2")

// unbounded is how many times the estimate an upper end has to be for nobody to
// plan with it: the data do not bound it, whatever the search stopped at.
const unbounded = 1e4

// within writes an interval; an open end is where the data do not bound it.
func within(e result.Estimate, format string) string {
	high := "no limit"
	if !math.IsInf(e.High, 0) && (e.Value == 0 || e.High < unbounded*e.Value) {
		high = fmt.Sprintf(format, e.High)
	}
	return fmt.Sprintf(" ("+format+" to %s)", e.Low, high)
}

// sentence begins with a capital.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

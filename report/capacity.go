package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// Capacity writes what capacity planning found, for a terminal: for each
// strategy the sweep as a table and, with Options.Charts, a chart, the fitted
// law, the rate at the objective and the drift of a soak; then the comparison.
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
		if err := p.capacityStrategy(s); err != nil {
			return err
		}
	}
	if r.CapacityRanking != nil {
		p.line("")
		p.heading("comparison")
		if err := p.table(contenderTable(r.CapacityRanking)); err != nil {
			return err
		}
		p.line("")
		p.labelled("recommended", "%s", r.CapacityRanking.Answer)
	}
	p.runWarnings(groupWarnings(r.Runs, nameRuns(r.Runs)), len(r.Runs))
	return p.writeTo(w)
}

// CapacityMarkdown writes the same as [Capacity] in GitHub's dialect.
func CapacityMarkdown(w io.Writer, r *result.File, _ Options) error {
	p := newPage(Options{})
	if c := r.CapacityRanking; c != nil {
		p.line("**%s**", markdown(sentence(c.Answer)))
		p.line("")
		p.markdownTable(contenderTable(c))
		p.line("")
	}
	for _, s := range r.AllCapacities() {
		p.line("### Capacity of %s", markdown(strategyTitle(s)))
		p.line("")
		if s.Sweep != nil && len(s.Sweep.Rows) > 0 {
			p.markdownTable(sweepTable(s.Sweep))
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
	p.markdownWarnings(groupWarnings(r.Runs, nameRuns(r.Runs)), len(r.Runs))
	return p.writeTo(w)
}

func strategyTitle(s *result.Capacity) string {
	title := s.Name
	if s.Layout != "" {
		title += ", " + s.Layout
	}
	return title
}

func (p *page) capacityStrategy(s *result.Capacity) error {
	if s.Sweep != nil && len(s.Sweep.Rows) > 0 {
		if err := p.table(sweepTable(s.Sweep)); err != nil {
			return err
		}
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
	return nil
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
		if i := slices.IndexFunc(sw.Rows, func(r result.SweepRow) bool { return r.OrdersPerS.Confidence > 0 }); i >= 0 {
			add("intervals", "+- % is half of an interval with "+confidence(sw.Rows[i].OrdersPerS), plain)
		}
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
		add("SLO", se.Answer, outcomeStyle(se.Outcome))
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
	low, high := amount.Number(s.Rate.Low), amount.Number(s.Rate.High)
	if math.IsInf(s.Rate.High, 0) {
		high = "unknown"
	}
	text := fmt.Sprintf("%s orders/s held and %s broke", low, high)
	if s.Rate.Confidence > 0 {
		text = fmt.Sprintf("between %s and %s orders/s (%s)", low, high, confidence(s.Rate))
	}
	text += ", from " + amount.Count(int64(s.Points), "measurement")
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
		clients := "clients"
		if math.Round(f.Knee.Value) == 1 {
			clients = "client"
		}
		knee = fmt.Sprintf("knee at %s %s%s with %s orders/s", amount.Number(math.Round(f.Knee.Value)), clients, within(whole(f.Knee)), amount.Number(f.PeakPerS))
	} else if f.PeakPerS > 0 {
		knee = fmt.Sprintf("no knee, ceiling %s orders/s", amount.Number(f.PeakPerS))
	}
	return fmt.Sprintf("λ %s orders/s%s, σ %s%s, κ %s%s, R² %.3f; %s; each interval has %s",
		amount.Number(f.Lambda.Value), within(f.Lambda), amount.Number(f.Sigma.Value), within(f.Sigma), amount.Number(f.Kappa.Value), within(f.Kappa), f.R2, knee, confidence(f.Lambda))
}

// confidence labels an interval: "95% confidence".
func confidence(e result.Estimate) string { return amount.Number(100*e.Confidence) + "% confidence" }

// greek spells the law's parameters out where a terminal has no Greek.
var greek = strings.NewReplacer("λ", "lambda", "σ", "sigma", "κ", "kappa", "R²", "R^2")

// unbounded is how many times the estimate an upper end has to be to be useless in
// planning: the data do not bound it, whatever the search stopped at.
const unbounded = 1e4

// within writes an interval; an open end is where the data do not bound it.
func within(e result.Estimate) string {
	high := "no limit"
	if !math.IsInf(e.High, 0) && (e.Value == 0 || e.High < unbounded*e.Value) {
		high = amount.Number(e.High)
	}
	return fmt.Sprintf(" (%s to %s)", amount.Number(e.Low), high)
}

// whole rounds an interval of client counts.
func whole(e result.Estimate) result.Estimate {
	e.Value, e.Low, e.High = math.Round(e.Value), math.Round(e.Low), math.Round(e.High)
	return e
}

// sentence begins with a capital.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

package report

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"io"
	"math"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

//go:embed page/capacity.html
var capacityPage string

// capacityTemplate needs no script.
var capacityTemplate = newTemplate("capacity", capacityPage)

// CapacityHTML writes the same as [Capacity] as one self-contained page, with
// the environment below it.
func CapacityHTML(w io.Writer, r *result.File, _ Options) error {
	v := capacityPageView{}
	for _, e := range environments(r) {
		v.Environments = append(v.Environments, environmentRows(e))
	}
	for _, g := range groupWarnings(r.Runs, nameRuns(r.Runs)) {
		v.Warnings = append(v.Warnings, g.text+g.which(len(r.Runs)))
	}
	if c := r.CapacityRanking; c != nil {
		v.Comparison = &comparisonView{Answer: sentence(c.Answer), Table: newHTMLTable(contenderTable(c))}
	}
	for _, s := range r.AllCapacities() {
		v.Strategies = append(v.Strategies, newStrategyView(s))
	}
	var b bytes.Buffer
	if err := capacityTemplate.Execute(&b, v); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	_, err := io.WriteString(w, printablePage(b.String()))
	return err
}

type capacityPageView struct {
	Environments [][][2]string
	Warnings     []string
	Comparison   *comparisonView
	Strategies   []strategyView
}

type comparisonView struct {
	Answer string
	Table  *htmlTable
}

type strategyView struct {
	Title, Invalid string
	Table          *htmlTable // nil where nothing was swept
	Chart          *lawChart
	Findings       [][2]string
}

func newStrategyView(s *result.Capacity) strategyView {
	v := strategyView{Title: strategyTitle(s), Invalid: s.Invalid}
	if s.Sweep != nil && len(s.Sweep.Rows) > 0 {
		v.Table = newHTMLTable(sweepTable(s.Sweep))
		v.Chart = newLawChart(s.Sweep)
	}
	for _, f := range findings(s) {
		if f.style != alarm { // that one stands above all numbers
			v.Findings = append(v.Findings, [2]string{f.label, f.text})
		}
	}
	return v
}

// lawChart is throughput over the client count, which doubles at equal
// distances, in the coordinates of the page's drawing.
type lawChart struct {
	Top       string // orders/s at the upper end
	Line, Law string // polylines; no law is ""
	Dots      []lawDot
}

type lawDot struct{ X, Y, Label, Title string }

// The plot within the drawing.
const (
	plotLeft, plotRight = 75.0, 615.0
	plotTop, plotBottom = 14.0, 210.0
)

// newLawChart is nil where there are too few counts for a line.
func newLawChart(s *result.Sweep) *lawChart {
	n := len(s.Rows)
	if n < 2 {
		return nil
	}
	first, last := math.Log2(float64(s.Rows[0].Clients)), math.Log2(float64(s.Rows[n-1].Clients))
	at := func(share float64) float64 { return first + (last-first)*share }
	top := 0.0
	for _, r := range s.Rows {
		top = math.Max(top, r.OrdersPerS.Value)
	}
	const steps = 100
	law := make([]float64, 0, steps+1)
	if s.Fit != nil {
		for i := range steps + 1 {
			law = append(law, s.Fit.Predict(math.Exp2(at(float64(i)/steps))))
			top = math.Max(top, law[i])
		}
	}
	if !(top > 0) || math.IsInf(top, 0) {
		return nil
	}
	x := func(share float64) string { return fmt.Sprintf("%.1f", plotLeft+share*(plotRight-plotLeft)) }
	y := func(v float64) string { return fmt.Sprintf("%.1f", plotBottom-v/top*(plotBottom-plotTop)) }
	c := &lawChart{Top: amount.Number(top)}
	var line, curve []string
	for _, r := range s.Rows {
		share := (math.Log2(float64(r.Clients)) - first) / (last - first)
		d := lawDot{X: x(share), Y: y(r.OrdersPerS.Value), Label: fmt.Sprint(r.Clients)}
		d.Title = fmt.Sprintf("%s: %s orders/s", amount.Count(int64(r.Clients), "client"), amount.Number(r.OrdersPerS.Value))
		c.Dots = append(c.Dots, d)
		line = append(line, d.X+","+d.Y)
	}
	for i, v := range law {
		curve = append(curve, x(float64(i)/steps)+","+y(v))
	}
	c.Line, c.Law = strings.Join(line, " "), strings.Join(curve, " ")
	return c
}

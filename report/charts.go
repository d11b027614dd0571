package report

import (
	"fmt"
	"math"
	"strings"

	"qbench/internal/result"

	"github.com/guptarohit/asciigraph"
)

const (
	chartHeight = 8
	// chartLabels is what a chart needs beside its plot: the longest label of
	// the vertical axis, and half of the last one of the horizontal axis.
	chartLabels = 16
	// chartLimit keeps out what cannot be measured: the library turns values
	// into integers.
	chartLimit = 1e12
)

// charts draws throughput over time and the percentile curve.
//
// This is the only file that knows asciigraph.
func (p *page) charts(r *result.Run) {
	if !p.Charts {
		return
	}
	p.throughputChart(r)
	p.percentileChart(r.LatencyHist)
}

func (p *page) throughputChart(r *result.Run) {
	name := "orders/s"
	var values []float64
	first, last := 0.0, 0.0
	for _, t := range r.Intervals {
		if t.Warmup {
			continue
		}
		v := t.OrdersPerS
		if !r.CountsOrders {
			name, v = "tps", t.TPS
		}
		if len(values) == 0 {
			first = t.AtS
		}
		last = t.AtS
		values = append(values, v)
	}
	p.chart(name+" over time", values,
		asciigraph.LowerBound(0),
		asciigraph.YAxisValueFormatter(significant),
		asciigraph.XAxisRange(first, last),
		asciigraph.XAxisTickCount(5),
		asciigraph.XAxisValueFormatter(func(x float64) string { return fmt.Sprintf("%.3g s", x) }))
}

// percentileChart draws latency over the number of nines, in which the tail
// takes as much room as the bulk; both axes are logarithmic.
func (p *page) percentileChart(h *result.Histogram) {
	if h == nil || h.Count() < 100 {
		return
	}
	nines := math.Min(5, math.Floor(math.Log10(float64(h.Count()))))
	var values []float64
	for i := range p.plotWidth() {
		x := nines * float64(i) / float64(p.plotWidth()-1)
		ms := float64(h.Percentile(100*(1-math.Pow(10, -x)))) / 1e6
		values = append(values, math.Log10(max(ms, 1e-3)))
	}
	p.chart("latency percentiles in ms", values,
		asciigraph.YAxisValueFormatter(func(y float64) string { return significant(math.Pow(10, y)) }),
		asciigraph.XAxisRange(0, nines),
		asciigraph.XAxisTickCount(int(nines)+1),
		asciigraph.XAxisValueFormatter(percentileName))
}

// percentileName is p99.9 for three nines.
func percentileName(nines float64) string {
	n := int(math.Round(nines))
	switch n {
	case 0:
		return "p0"
	case 1:
		return "p90"
	case 2:
		return "p99"
	default:
		return "p99." + strings.Repeat("9", n-2)
	}
}

func (p *page) plotWidth() int { return p.width() - chartLabels }

func (p *page) chart(title string, values []float64, options ...asciigraph.Option) {
	if len(values) < 3 {
		return
	}
	for _, v := range values {
		if math.IsNaN(v) || math.Abs(v) > chartLimit {
			return
		}
	}
	options = append(options, asciigraph.Height(chartHeight), asciigraph.Width(p.plotWidth()))
	p.line("")
	p.line("%s", title)
	drawn := asciigraph.Plot(values, options...)
	if !p.Unicode {
		drawn = asciiLines.Replace(drawn)
	}
	for line := range strings.Lines(drawn) {
		p.line("%s", strings.TrimRight(line, " \n"))
	}
}

var asciiLines = strings.NewReplacer("─", "-", "│", "|", "╭", ".", "╮", ".", "╰", "'", "╯", "'",
	"╴", "-", "╶", "-", "└", "+", "┬", "+", "┤", "|", "┼", "+")

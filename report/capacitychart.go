package report

import (
	"fmt"
	"math"
	"strings"

	"qbench/internal/result"

	"github.com/guptarohit/asciigraph"
)

// capacityChart draws throughput over the client count, which doubles at equal
// distances, and the fitted law behind it. Unlike the charts over time it has
// two series, and the places between two counts are filled from their
// neighbours.
func (p *page) capacityChart(s *result.Sweep) {
	const leastCounts = 3
	if !p.Charts || len(s.Rows) < leastCounts {
		return
	}
	last := math.Log2(float64(s.Rows[len(s.Rows)-1].Clients))
	first := math.Log2(float64(s.Rows[0].Clients))
	width := p.plotWidth()
	measured, law := make([]float64, width), make([]float64, width)
	for i := range width {
		at := first + (last-first)*float64(i)/float64(width-1)
		measured[i] = between(s.Rows, at)
		law[i] = math.NaN()
		if s.Fit != nil {
			law[i] = s.Fit.Predict(math.Exp2(at))
		}
		if measured[i] > chartLimit || law[i] > chartLimit {
			return
		}
	}
	dot := "·"
	if !p.Unicode {
		dot = "."
	}
	series, chars := [][]float64{measured}, []asciigraph.CharSet{asciigraph.DefaultCharSet}
	title := "orders/s over clients"
	if s.Fit != nil {
		// The later series is drawn over the earlier.
		series = [][]float64{law, measured}
		chars = []asciigraph.CharSet{asciigraph.CreateCharSet(dot), asciigraph.DefaultCharSet}
		title += fmt.Sprintf(" (%s the law)", dot)
	}
	drawn := asciigraph.PlotMany(series,
		asciigraph.Height(chartHeight),
		asciigraph.LowerBound(0),
		asciigraph.SeriesChars(chars...),
		asciigraph.YAxisValueFormatter(significant),
		asciigraph.XAxisRange(first, last),
		asciigraph.XAxisTickCount(min(9, max(2, int(math.Round(last-first))+1))),
		asciigraph.XAxisValueFormatter(func(x float64) string { return fmt.Sprintf("%.0f", math.Exp2(x)) }))
	if !p.Unicode {
		drawn = asciiLines.Replace(drawn)
	}
	p.line("")
	p.line("%s", title)
	for line := range strings.Lines(drawn) {
		p.line("%s", strings.TrimRight(line, " \n"))
	}
}

// between is the throughput at a place of the logarithmic axis, on the straight
// line between its neighbours.
func between(rows []result.SweepRow, at float64) float64 {
	for i := range len(rows) - 1 {
		a, b := math.Log2(float64(rows[i].Clients)), math.Log2(float64(rows[i+1].Clients))
		if at <= b {
			share := (at - a) / (b - a)
			return (1-share)*rows[i].OrdersPerS.Value + share*rows[i+1].OrdersPerS.Value
		}
	}
	return rows[len(rows)-1].OrdersPerS.Value
}

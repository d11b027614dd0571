package report

import (
	"fmt"
	"math"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// maxBars keeps a histogram on one screen.
const maxBars = 16

// histogram draws a latency histogram: log-spaced bars, because latencies
// spread over orders of magnitude, with counts, because a bar alone cannot
// show one sample in a million.
func (p *page) histogram(h *result.Histogram) {
	bins := logBins(h, maxBars)
	if len(bins) == 0 {
		return
	}
	var top, total int64
	for _, b := range bins {
		top = max(top, b.count)
		total += b.count
	}
	ranges := make([]string, len(bins))
	rangeWidth, countWidth := 0, 0
	for i, b := range bins {
		ranges[i] = fmt.Sprintf("%s - %s ms", edge(b.fromMS), edge(b.toMS))
		rangeWidth = max(rangeWidth, len(ranges[i]))
		countWidth = max(countWidth, len(amount.Grouped(b.count)))
	}
	const shares = len(" 100.0%")
	room := max(1, p.width()-2-rangeWidth-2-1-countWidth-shares)
	for i, b := range bins {
		bar := p.bar(float64(b.count)/float64(top), room)
		p.line("  %s  %s %s %5.1f%%", padLeft(ranges[i], rangeWidth), padRight(bar, room), padLeft(amount.Grouped(b.count), countWidth), percent(b.count, total))
	}
}

// edge writes a bound of a bar, which is round by construction.
func edge(ms float64) string {
	return fmt.Sprintf("%.4g", ms)
}

// bar draws a share of room cells, in eighths where the terminal has them.
// What is more than nothing shows as something.
func (p *page) bar(share float64, room int) string {
	if !(share > 0) {
		return ""
	}
	share = min(share, 1)
	if !p.Unicode {
		n := int(math.Round(share * float64(room)))
		if n == 0 {
			return "."
		}
		return strings.Repeat("#", n)
	}
	eighths := max(1, int(math.Round(share*float64(room)*8)))
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return bar
}

package capacity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// Rank ranks strategies. Under a target rate, one that needs fewer workers
// for it is better; otherwise one with the higher rate. What lies within
// precision of each other counts as equal, and is decided by the workers
// needed, then by the client CPU per order.
func Rank(strategies []*result.Capacity, precision float64) *result.CapacityRanking {
	c := &result.CapacityRanking{}
	for _, s := range strategies {
		if s.Target != nil {
			c.TargetRate = s.Target.Rate
		}
	}
	searched := slices.ContainsFunc(strategies, func(s *result.Capacity) bool { return s.Search != nil })
	for _, s := range strategies {
		k := contender(s)
		switch {
		case k.Excluded != "":
		case c.TargetRate > 0 && s.Target == nil:
			k.Excluded = "it was not measured at the target rate"
		case c.TargetRate == 0 && searched && s.Search == nil:
			k.Excluded = "it was not measured at the SLO"
		}
		c.Contenders = append(c.Contenders, k)
	}
	// Equality within the precision is not transitive, so it cannot be part of
	// the sort: the best rate is found first and its equals are moved up.
	slices.SortStableFunc(c.Contenders, func(a, b result.Contender) int {
		if x := cmp.Compare(boolInt(a.Excluded != ""), boolInt(b.Excluded != "")); x != 0 {
			return x
		}
		if x := cmp.Compare(b.Rate.Value, a.Rate.Value); x != 0 && c.TargetRate == 0 {
			return x
		}
		return cheaper(a, b)
	})
	if len(c.Contenders) == 0 || c.Contenders[0].Excluded != "" {
		c.Answer = "no strategy can be recommended: " + exclusions(c)
		return c
	}
	equals := 1
	if c.TargetRate == 0 {
		top := c.Contenders[0].Rate.Value
		for equals < len(c.Contenders) && c.Contenders[equals].Excluded == "" && c.Contenders[equals].Rate.Value >= top*(1-precision) {
			equals++
		}
		slices.SortStableFunc(c.Contenders[:equals], cheaper)
	}
	c.Recommended = c.Contenders[0].Name
	c.Answer = because(c, equals, precision)
	return c
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// cheaper orders by what a rate costs.
func cheaper(a, b result.Contender) int {
	if x := cmp.Compare(a.Workers, b.Workers); x != 0 {
		return x
	}
	return cmp.Compare(a.CPUPerOrder, b.CPUPerOrder)
}

func contender(s *result.Capacity) result.Contender {
	c := result.Contender{Name: s.Name, Layout: s.Layout, Unlogged: s.Unlogged, Excluded: s.Invalid}
	exclude := func(why string) {
		if c.Excluded == "" {
			c.Excluded = why
		}
	}
	if sw := s.Sweep; sw != nil && sw.Best > 0 {
		c.Workers = sw.Recommended
		for _, r := range sw.Rows {
			if r.Clients == sw.Recommended {
				c.Rate, c.P99MS, c.CPUPerOrder = r.OrdersPerS, r.P99MS, r.CPUPerOrder
			}
		}
	} else if sw != nil {
		exclude(sw.Answer)
	}
	if se := s.Search; se != nil {
		c.Rate, c.Workers = se.Rate, se.Workers
		at(&c, se.Probes)
		if se.Outcome != result.CapacityFound && se.Outcome != result.CapacityAtLeast {
			exclude(se.Answer)
		}
	}
	switch t := s.Target; {
	case t != nil && t.Outcome == result.CapacityFound:
		c.Workers = t.Workers
		at(&c, t.Probes)
	case t != nil:
		exclude(t.Answer)
	}
	if s.Sweep == nil && s.Search == nil && s.Target == nil {
		exclude("it was not measured")
	}
	return c
}

// at takes latency and cost from the highest rate that the workers were seen
// to hold.
func at(c *result.Contender, probes []*result.Probe) {
	top := 0.0
	for _, b := range probes {
		if b.Holds && b.Workers == c.Workers && b.Rate >= top {
			top, c.P99MS, c.CPUPerOrder = b.Rate, b.P99MS, b.CPUPerOrder
		}
	}
}

func exclusions(c *result.CapacityRanking) string {
	var why []string
	for _, k := range c.Contenders {
		why = append(why, k.Name+": "+k.Excluded)
	}
	if len(why) == 0 {
		return "none was measured"
	}
	return strings.Join(why, "; ")
}

// because is the recommendation with its reason.
func because(c *result.CapacityRanking, equals int, precision float64) string {
	first := c.Contenders[0]
	var text string
	second := result.Contender{Excluded: "none"}
	if len(c.Contenders) > 1 {
		second = c.Contenders[1]
	}
	switch {
	case c.TargetRate > 0:
		text = fmt.Sprintf("take %s: it holds %s orders/s with %s", first.Name, amount.Number(c.TargetRate), amount.Count(first.Workers, "worker"))
		if second.Excluded == "" {
			text += fmt.Sprintf(", %s needs %d", second.Name, second.Workers)
		}
	case equals > 1:
		text = fmt.Sprintf("take %s: %d strategies do as much within %.3g%% (%s orders/s), and it needs the least for it (%s, %.3g us of CPU per order)",
			first.Name, equals, 100*precision, amount.Number(first.Rate.Value), amount.Count(first.Workers, "worker"), 1e6*first.CPUPerOrder)
	default:
		text = fmt.Sprintf("take %s: %s orders/s with %s", first.Name, amount.Number(first.Rate.Value), amount.Count(first.Workers, "worker"))
		if second.Excluded == "" && second.Rate.Value > 0 {
			text += fmt.Sprintf(", %s %s", ahead(first.Rate.Value/second.Rate.Value), second.Name)
		}
	}
	if second.Excluded != "" {
		text += ", the only one that can be recommended"
	}
	if first.Unlogged {
		text += "; its tables are unlogged, so a crash empties the queue"
	}
	return text
}

// ahead writes a ratio above 1 as it is said.
func ahead(ratio float64) string {
	const twoToSay = 2.5
	if ratio >= twoToSay {
		return fmt.Sprintf("%.1f times as much as", ratio)
	}
	return fmt.Sprintf("%.0f%% more than", 100*(ratio-1))
}

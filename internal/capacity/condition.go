package capacity

import (
	"fmt"
	"math"

	"qbench/internal/result"
	"qbench/internal/stats"
)

// verdict is what the repeats of a point say about one condition of the
// objective.
type verdict struct {
	holds bool
	// doubtful says that more repeats may turn it.
	doubtful bool
	// room is limit/value - 1: positive where the condition holds, and 0 at the
	// limit.
	room  float64
	value float64 // the mean, in the metric's unit
	text  string  // what is known of the metric: "p99 is 25.3 ms"
}

// check compares a condition with the repeats of a point. What a run could not
// measure because orders still waited at its end is no proof that the condition
// holds, so it does not. Where the runs only steer a search that long ones confirm,
// waiting orders count with their age: at the end of a few seconds more than one in a
// hundred waits in any queue, and whether they become more is what the depth tells.
func (p *prober) check(t result.Threshold, samples []result.Sample, steers bool) (verdict, error) {
	var values []float64
	var limit, sum float64
	yes, no := 0, 0
	v := verdict{room: math.Inf(1)}
	for _, s := range samples {
		e, most, ok := t.Against(s.Run)
		truth, text := t.Check(s.Run)
		if !ok {
			return v, fmt.Errorf("the SLO asks for %s, but %s", t, text)
		}
		if steers && truth == result.Unknown && t.Holds(e.Value) {
			truth, e.High = result.True, e.Value
		}
		if limit = most; truth == result.Unknown {
			v.text = text
			if g := t.Metric.Group; g == result.QueueTimes || g == result.EndToEnd {
				v.text += " and not known, because orders still waited at the end: take longer measurements"
			}
			v.room = 0
		}
		near := e.High // the bound that is nearer to the limit
		switch truth {
		case result.True:
			yes++
		case result.False:
			no++
			near = e.Low
		}
		values, sum = append(values, near), sum+e.Value
	}
	v.value = sum / float64(len(samples))
	switch {
	case yes+no < len(samples):
		v.doubtful = no == 0
		return v, nil
	case scattered(t):
		p.average(&v, t, values, limit)
		return v, nil
	}
	// A count, a share or a rate: all repeats have to hold.
	v.holds, v.doubtful = no == 0, yes > 0 && no > 0
	if !v.holds {
		v.room = 0
	}
	v.text = t.Say(result.Exactly(v.value))
	return v, nil
}

// scattered tells a condition on a latency, whose repeats scatter in proportion:
// their geometric mean decides, and whether it is beyond the noise.
func scattered(t result.Threshold) bool {
	return t.Metric.Unit == "ms" && t.Value > 0 && (t.Op == "<" || t.Op == "<=")
}

func (p *prober) average(v *verdict, t result.Threshold, values []float64, limit float64) {
	logs := logarithms(values, limit)
	m := stats.Mean(logs)
	v.value = limit * math.Exp(m)
	v.room = math.Expm1(-m)
	v.holds = m < 0
	v.doubtful = math.Abs(m) < sure*p.noise(logs)/math.Sqrt(float64(len(logs)))
	v.text = t.Say(result.Exactly(v.value))
}

// logarithms of latencies relative to a limit.
func logarithms(ms []float64, limit float64) []float64 {
	logs := make([]float64, len(ms))
	for i, v := range ms {
		logs[i] = math.Log(math.Max(v, 1e-9) / limit) // a nanosecond is below any clock
	}
	return logs
}

// learn pools the scatter of a point's repeats, over all latencies of the
// objective that they measured.
func (p *prober) learn(samples []result.Sample) {
	if len(samples) < 2 {
		return
	}
	var squares, measured float64
	for _, t := range p.slo {
		var values []float64
		for _, s := range samples {
			if e, _, ok := t.Against(s.Run); ok && scattered(t) && e.Exact() {
				values = append(values, e.Value)
			}
		}
		if len(values) == len(samples) {
			squares += stats.Variance(logarithms(values, 1)) * float64(len(values)-1)
			measured++
		}
	}
	if measured > 0 {
		p.squares += squares / measured
		p.df += float64(len(samples) - 1)
	}
}

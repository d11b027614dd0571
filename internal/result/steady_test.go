package result

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestSteadyTimesAreWhatIsKnown(t *testing.T) {
	t.Parallel()
	p50 := func(l *Latency) float64 { return l.P50 }
	p99 := func(l *Latency) float64 { return l.P99 }
	s := &Steady{
		QueueTime:       &Latency{P50: 2, P99: 4550},
		QueueTimeAtMost: &Bounds{P50: 3.5, P99: math.Inf(1)},
		EndToEnd:        &Latency{P50: 8, P99: 9},
	}
	format := func(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) + " ms" }
	for _, tt := range []struct {
		of    func(func(*Latency) float64) (Estimate, bool)
		value func(*Latency) float64
		want  Estimate
		text  string
	}{
		{s.QueueTimeOf, p50, Estimate{Value: 2, Low: 2, High: 3.5}, "2 ms to 3.5 ms"},
		{s.QueueTimeOf, p99, AtLeast(4550), "> 4.55e+03 ms"},
		{s.EndToEndOf, p50, Exactly(8), "8 ms"},
	} {
		got, ok := tt.of(tt.value)
		if !ok || got != tt.want || got.Text(format) != tt.text {
			t.Errorf("got %+v %v, %q; want %+v, %q", got, ok, got.Text(format), tt.want, tt.text)
		}
	}
	var none *Steady
	for _, s := range []*Steady{none, {}} {
		if _, ok := s.QueueTimeOf(p50); ok {
			t.Error("a queue time of no order")
		}
		if _, ok := s.EndToEndOf(p50); ok {
			t.Error("an end-to-end time of no order")
		}
	}
}

func TestBoundsSurviveTheirFile(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	want := Bounds{Mean: inf, StdDev: inf, Min: 0.5, P50: 2, P90: 3, P95: inf, P99: inf, P999: inf, Max: inf}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), `"p90":3,"p95":null`) {
		t.Errorf("%s", data)
	}
	var back Bounds
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(want, back) {
		t.Errorf("%+v, %v", back, err)
	}
}

package capacity

import (
	"context"
	"errors"
	"testing"
	"time"

	"qbench/internal/result"
)

func TestProbeDuration(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		target, most float64
		want         time.Duration
	}{{0, 0, 5 * time.Second}, {10, 0, 20 * time.Second}, {0, 20, 10 * time.Second}, {1000, 0, 5 * time.Second}} {
		p := &Plan{Duration: 5 * time.Second, TargetRate: tt.target, MaxRate: tt.most}
		if got := p.ProbeDuration(); got != tt.want {
			t.Errorf("target %g, at most %g orders/s: %s, want %s", tt.target, tt.most, got, tt.want)
		}
	}
}

// Workers that are given are measured once without producers, and a soak without
// an objective stays below that by the headroom.
func TestPlanSoaksGivenWorkers(t *testing.T) {
	t.Parallel()
	p := &Plan{Workers: 4, Duration: 5 * time.Second, Soak: time.Minute, Headroom: 0.25}
	var measured, soaked []result.Point
	means := Means{
		Room: 10,
		Measure: func(_ context.Context, p result.Point) (result.Sample, error) {
			measured = append(measured, p)
			return result.Sample{OrdersPerS: 1000}, nil
		},
		Soak: func(_ context.Context, p result.Point) (float64, []Series, error) {
			soaked = append(soaked, p)
			return 1, nil, nil
		},
	}
	var s result.Capacity
	if err := p.Run(context.Background(), &s, means); err != nil {
		t.Fatal(err)
	}
	if len(measured) != 1 || measured[0] != (result.Point{Clients: 4, Duration: 5 * time.Second, Repeat: 1}) {
		t.Errorf("measured %+v", measured)
	}
	if len(soaked) != 1 || soaked[0] != (result.Point{Clients: 4, Rate: 750, Duration: time.Minute, Repeat: 1}) {
		t.Errorf("soaked %+v", soaked)
	}
	means.Measure = func(context.Context, result.Point) (result.Sample, error) {
		return result.Sample{}, result.ErrConnections
	}
	if err := p.Run(context.Background(), &s, means); !errors.Is(err, result.ErrConnections) || len(soaked) != 1 {
		t.Errorf("without connections: %v, %+v", err, soaked)
	}
}

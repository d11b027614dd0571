package cli

import (
	"testing"
	"time"

	"qbench/internal/result"
)

func TestStrategyStatus(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		s    result.Capacity
		want Status
	}{
		{result.Capacity{Sweep: &result.Sweep{Best: 4}}, StatusOK},
		{result.Capacity{Sweep: &result.Sweep{Outcome: result.CapacityTooFast}}, StatusIncomplete},
		{result.Capacity{Search: &result.Search{Outcome: result.CapacityAtLeast}}, StatusOK},
		{result.Capacity{Search: &result.Search{Outcome: result.CapacityNever}}, StatusFailed},
		{result.Capacity{Search: &result.Search{Outcome: result.CapacityNoConnections}}, StatusIncomplete},
		{result.Capacity{Target: &result.Target{Outcome: result.CapacityImpossible}}, StatusFailed},
		{result.Capacity{Target: &result.Target{Outcome: result.CapacityImpossible}, Invalid: "lost"}, StatusAudit},
	} {
		if got := strategyStatus(&tt.s); got != tt.want {
			t.Errorf("%+v: status %d, want %d", tt.s, got, tt.want)
		}
	}
}

func TestProbeDuration(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		target, most float64
		want         time.Duration
	}{{0, 0, 5 * time.Second}, {10, 0, 20 * time.Second}, {0, 20, 10 * time.Second}, {1000, 0, 5 * time.Second}} {
		p := &capacityPlan{duration: 5 * time.Second, target: tt.target, maxRate: tt.most}
		if got := p.probeDuration(); got != tt.want {
			t.Errorf("target %g, at most %g orders/s: %s, want %s", tt.target, tt.most, got, tt.want)
		}
	}
}

package cli

import (
	"testing"

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

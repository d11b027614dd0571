package report

import (
	"strings"
	"testing"

	"qbench/internal/result"
)

func TestStationaryWarning(t *testing.T) {
	t.Parallel()
	r := newRun("skip-locked", 4, 24, 1, 19_000, 0)
	warned := func() string {
		for _, w := range Warnings(r, result.Environment{}) {
			if strings.Contains(w, "not stationary") {
				return w
			}
		}
		return ""
	}
	for _, s := range []*result.Stationarity{nil, {Stationary: true, Low: 1, High: 9}} {
		if r.Stationarity = s; warned() != "" {
			t.Errorf("%+v: %s", s, warned())
		}
	}
	r.Stationarity = &result.Stationarity{Low: 1_670, High: 19_000, WindowS: 3, P: 0.0002}
	r.CountsOrders = true
	if w := warned(); !strings.HasPrefix(w, "throughput is not stationary: it ranges from 1,670 to 19,000 orders/s in windows of 3 s, ") {
		t.Error(w)
	}
}

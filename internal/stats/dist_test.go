package stats

import (
	"math"
	"testing"
)

// Reference values: DLMF, and the tables of Student's t and F in Draper and
// Smith (1998).
func TestDistributions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"t 1", TQuantile(0.95, 1), 12.7062}, {"t 5", TQuantile(0.95, 5), 2.5706}, {"t 30", TQuantile(0.99, 30), 2.7500},
		{"t large", TQuantile(0.95, 1e6), 1.95997}, {"normal", NormalQuantile(0.95), 1.95996},
		{"F 3 10", FTail(3.7083, 3, 10), 0.05}, {"F 5 2", FTail(99.30, 5, 2), 0.01}, {"F 0", FTail(0, 3, 3), 1},
		{"beta", incompleteBeta(0.5, 2, 2), 0.5}, {"beta 0", incompleteBeta(0, 2, 2), 0}, {"beta 1", incompleteBeta(1, 2, 2), 1},
	} {
		if math.Abs(c.got-c.want) > 1e-4*math.Max(1, c.want) {
			t.Errorf("%s: %g, want %g", c.name, c.got, c.want)
		}
	}
	if p := ChiSquareTail(18.307, 10); math.Abs(p-0.05) > 0.002 {
		t.Errorf("χ²: %g", p)
	}
	if !math.IsInf(TQuantile(0.95, 0), 1) || ChiSquareTail(0, 3) != 1 {
		t.Error("without degrees of freedom")
	}
}

package amount_test

import (
	"math"
	"testing"

	"qbench/internal/amount"
)

func TestNumberHasThreeDigits(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{
		0: "0", 1.2e-5: "1.2e-05", 0.0012345: "0.00123", 1: "1", 45.678: "45.7", 99.96: "100", 999.4: "999", 999.6: "1,000", 7412.3: "7,410",
		-7412.3: "-7,410", 1234567: "1,230,000", math.Inf(1): "+Inf",
	} {
		if got := amount.Number(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}

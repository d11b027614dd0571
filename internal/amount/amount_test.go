package amount_test

import (
	"math"
	"testing"

	"qbench/internal/amount"
)

func TestGrouped(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567",
		-1: "-1", -999: "-999", -1000: "-1,000", -123456: "-123,456", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := amount.Grouped(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 clients", 1: "1 client", 2: "2 clients", 2000: "2,000 clients"} {
		if got := amount.Count(n, "client"); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

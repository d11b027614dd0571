package report

import (
	"math"
	"testing"

	"qbench/internal/amount"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want string }{
		{significant(0), "0"}, {significant(999.94), "1,000"}, {significant(999.4), "999"}, {significant(9.996), "10.0"}, {significant(0.22), "0.220"},
		{significant(38_430.7), "38,400"}, {significant(33333.4), "33,300"}, {significant(-4.822), "-4.82"}, {significant(0.0456), "0.0456"},
		{significant(1e300), "1e+300"}, {significant(math.NaN()), "NaN"}, {significant(math.Inf(1)), "+Inf"}, {significant(2e-9), "2e-09"},
		{amount.Number(5), "5"}, {amount.Number(30), "30"}, {amount.Number(100), "100"}, {amount.Number(1234.56), "1,230"}, {amount.Number(0.50), "0.5"}, {amount.Number(1e-9), "1e-09"},
		{seconds(30), "30 s"}, {seconds(18.204), "18.2 s"}, {seconds(100), "100 s"}, {seconds(0), "0 s"},
		{mebibytes(45 << 20), "45 MiB"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

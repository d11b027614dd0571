package report

import (
	"testing"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want string }{
		{rate(0), "0.0"}, {rate(999.94), "999.9"}, {rate(33333.4), "33,333"}, {rate(1e300), "1e+300"},
		{millis(0.0456), "0.046"}, {millis(1234.56), "1234.6"}, {millis(600000), "600000"},
		{seconds(30), "30 s"}, {seconds(18.204), "18.204 s"}, {seconds(100), "100 s"}, {seconds(0), "0 s"},
		{mebibytes(45 << 20), "45.0 MiB"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	for _, c := range []struct {
		samples []float64
		want    float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1}, 5}, {[]float64{9, 1, 2}, 2}} {
		if got := median(c.samples); got != c.want {
			t.Errorf("median(%v) = %v, want %v", c.samples, got, c.want)
		}
	}
}

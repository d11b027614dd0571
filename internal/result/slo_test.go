package result

import (
	"strings"
	"testing"
	"time"
)

func TestParseSLO(t *testing.T) {
	t.Parallel()
	slo, err := ParseSLO(" queue_p99 < 20ms,p99.9<=1s, failed<1%")
	if err != nil || slo.String() != "queue_p99<20ms, p99_9<=1s, failed<1%" {
		t.Errorf("%q, %v", slo, err)
	}
	again, err := ParseSLO(slo.String())
	if err != nil || again.String() != slo.String() {
		t.Errorf("%q was read as %q, %v", slo, again, err)
	}
	for text, want := range map[string]string{
		"": "the name of a metric", "p99<20ms,": "the name of a metric", "p99<20": "takes us, ms or s", "p98<1ms": "unknown metric", "p99": "expected >",
	} {
		if _, err := ParseSLO(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestSLODecides(t *testing.T) {
	t.Parallel()
	asked := &Asked{Clients: 4, Longest: 10 * time.Second, CountsOrders: true, Producers: true, Queue: true}
	for text, want := range map[string]string{
		"queue_p99<20ms":        "",
		"failed<1%":             "",
		"orders_per_s>100":      "",
		"queue_p99<10s":         "",
		"queue_p99<11s":         "no result could break queue_p99<11s: queue_p99>=11s can never be true: ",
		"p99<1s,queue_p99<=11s": "no result could break queue_p99<=11s",
		"p99<0ms":               "p99<0ms can never be true",
		"failed>=0":             "no result could break failed>=0",
		"late<1%":               "the run will have no late",
	} {
		slo, err := ParseSLO(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := slo.Decides(asked); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

package pgbench

import (
	"fmt"
	"time"

	"qbench/internal/result"
)

// progress prints the lines of -P.
type progress struct {
	*options
	start time.Time
}

func (o *options) newProgress(start time.Time) *progress { return &progress{o, start} }

func (p *progress) tick(t result.Tick) {
	p.console.printError(p.line(t, time.Now()))
}

// line is the progress line of an interval that ended now. Time counts from
// before the connections were made.
func (p *progress) line(t result.Tick, now time.Time) string {
	at := fmt.Sprintf("%.1f s", now.Sub(p.start).Seconds())
	if p.progressTimestamp {
		at = fmt.Sprintf("%.3f s", float64(now.UnixMicro())/1e6)
	}
	s := fmt.Sprintf("progress: %s, %.1f tps, lat %.3f ms stddev %.3f, %d failed", at, t.TPS, t.MeanMS, t.StdDevMS, t.Failed)
	if p.rate > 0 {
		s += fmt.Sprintf(", lag %.3f ms", t.LagMS)
		if p.latencyLimit > 0 {
			s += fmt.Sprintf(", %d skipped", t.Skipped)
		}
	}
	if p.maxTries != 1 {
		s += fmt.Sprintf(", %d retried, %d retries", t.Retried, t.Retries)
	}
	return s + "\n"
}

package pgbench

import (
	"fmt"
	"time"

	"qbench/internal/result"
	"qbench/report"
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
	shown := report.Progress{Scheduled: p.rate > 0, Limited: p.latencyLimit > 0, Retries: p.maxTries != 1}
	return shown.Pgbench(at, t) + "\n"
}

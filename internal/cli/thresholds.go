package cli

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"qbench/internal/result"
)

func failIfFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "fail-if", Category: categoryReport,
		Usage: "`CONDITION`: exit with status 3 if it is true of a run, such as 'p99>20ms', 'orders_per_s<5000' or 'empty>10%'; repeatable"}
}

func readThresholds(v *values) []result.Threshold {
	var list []result.Threshold
	for _, text := range v.c.StringSlice("fail-if") {
		t, err := result.ParseThreshold(text)
		if err != nil {
			v.fail("--fail-if: %w", err)
			return nil
		}
		list = append(list, t)
	}
	return list
}

// checkThresholds says on a line each which conditions are true of which runs,
// and which are not known to be false. The lines are not wrapped, so that a log
// can be searched for them.
func (a *app) checkThresholds(list []result.Threshold, runs []*result.Run) Status {
	status := StatusOK
	for i, r := range runs {
		for _, t := range list {
			truth, value := t.Check(r)
			if truth == result.False {
				continue
			}
			status = StatusFailed
			reason := fmt.Sprintf("%s: %s: %s", r.Configuration, t, value)
			if len(runs) > 1 {
				reason = fmt.Sprintf("run %d of %d: %s", i+1, len(runs), reason)
			}
			fmt.Fprintf(a.stderr, "qbench: failed: %s\n", reason)
		}
	}
	return status
}

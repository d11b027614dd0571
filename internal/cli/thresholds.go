package cli

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"qbench/internal/compare"
	"qbench/internal/result"
)

func failIfFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "fail-if", Category: categoryReport,
		Usage: "`CONDITION`: exit with status 3 if it is true of a run, such as 'p99>20ms', 'orders_per_s<5000' or 'empty>10%'; repeatable"}
}

func readThresholds(v *values) []compare.Threshold {
	var list []compare.Threshold
	for _, text := range v.c.StringSlice("fail-if") {
		t, err := compare.ParseThreshold(text)
		if err != nil {
			v.fail("--fail-if: %w", err)
			return nil
		}
		list = append(list, t)
	}
	return list
}

// checkThresholds says on a line each which conditions are true of which runs.
// The lines are not wrapped, so that a log can be searched for them.
func (a *app) checkThresholds(list []compare.Threshold, runs []*result.Run) Status {
	status := StatusOK
	for i, r := range runs {
		for _, t := range list {
			reason, failed := t.Fails(r)
			if !failed {
				continue
			}
			status = StatusFailed
			if len(runs) > 1 {
				reason = fmt.Sprintf("run %d of %d: %s", i+1, len(runs), reason)
			}
			fmt.Fprintf(a.stderr, "qbench: failed: %s\n", reason)
		}
	}
	return status
}

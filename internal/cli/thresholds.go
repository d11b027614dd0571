package cli

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"qbench/internal/bench"
	"qbench/internal/nearest"
	"qbench/internal/result"
	"qbench/internal/resultfile"
	"qbench/report"
)

// thresholdFlags are the conditions on each run, and what becomes of them.
func thresholdFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "fail-if", Category: categoryReport,
			Usage: "`CONDITION`: exit with status 3 if it is true of a run, such as 'p99>20ms', 'orders_per_s<5000' or 'empty>10%'; repeatable"},
		&cli.StringFlag{Name: "undecided", Category: categoryReport, Value: "auto",
			Usage: "`WHAT`: auto, fail or pass: result of a condition that the run does not decide, because a value was not measured or only its bounds are known; auto is fail"},
		&cli.StringFlag{Name: "junit", Category: categoryReport, Usage: "`FILE`: write the conditions and audits as JUnit XML as well"},
	}
}

// thresholds is what the flags ask for.
type thresholds struct {
	list  []result.Threshold
	pass  bool             // undecided ones
	junit *resultfile.File // nil without
}

func readThresholds(v *values) thresholds {
	var t thresholds
	for _, text := range v.c.StringSlice("fail-if") {
		condition, err := result.ParseThreshold(text)
		if err != nil {
			v.fail("--fail-if: %w", err)
			break
		}
		t.list = append(t.list, condition)
	}
	switch words, text := []string{"auto", "fail", "pass"}, v.text("undecided"); text {
	case "auto", "fail":
	case "pass":
		t.pass = true
	default:
		v.fail("--undecided %q%s (one of auto, fail, pass)", text, nearest.DidYouMean(text, words))
	}
	if path := v.text("junit"); path != "" {
		t.junit = resultfile.New(path)
	} else if v.given("junit") {
		v.fail("--junit needs the name of a file")
	}
	return t
}

// refuse finds conditions that none of the runs can break, and those on what one
// of them will not measure: a gate that cannot fail is a mistake.
func (t *thresholds) refuse(v *values, specs []bench.Spec) {
	for _, condition := range t.list {
		var mistake error
		possible := false
		for _, s := range specs {
			asked := s.Asked()
			if mistake = condition.Measured(asked); mistake != nil {
				possible = false
				break
			}
			mistake = condition.CanBreak(asked)
			possible = possible || mistake == nil
		}
		if !possible && mistake != nil {
			v.fail("--fail-if: %w", mistake)
		}
	}
}

// check finds out now what could keep the JUnit file from being written.
func (t *thresholds) check() error {
	if t.junit == nil {
		return nil
	}
	return t.junit.Check()
}

// apply says on a line each which conditions are true of which runs, and which
// are undecided. The lines are not wrapped, so that a log can be searched for them.
func (t *thresholds) apply(stderr io.Writer, runs []*result.Run) (Status, error) {
	status := StatusOK
	checks := result.CheckAll(t.list, runs)
	for _, c := range checks {
		word := "failed"
		switch {
		case c.Truth == result.False:
			continue
		case c.Truth == result.Unknown:
			word = "undecided"
		}
		if c.Truth == result.True || !t.pass {
			status = StatusFailed
		}
		if c.Of > 1 {
			word += fmt.Sprintf(": run %d of %d", c.Number, c.Of)
		}
		fmt.Fprintf(stderr, "qbench: %s: %s: %s: %s\n", word, c.Run.Configuration, c.Threshold, c.Value)
	}
	if t.junit == nil {
		return status, nil
	}
	return status, t.junit.Fill(func(w io.Writer) error { return report.ChecksJUnit(w, runs, checks, t.pass) })
}

package cli

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/urfave/cli/v2"

	"qbench/internal/compare"
	"qbench/internal/getopt"
	"qbench/internal/result"
	"qbench/internal/resultfile"
	"qbench/report"
)

const (
	categoryVariants = "The two variants"

	// The defaults make pairs of runs as short as they can be without measuring
	// their own start: what a pair has in common is only what lasts longer than
	// the pair.
	defaultTrialTime   = "5"
	defaultTrialWarmup = "1"
	// defaultTrialOrders are seeded for each run.
	defaultTrialOrders = "200000"
	defaultMaxPairs    = "30"
)

func (a *app) abCommand() *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "a", Category: categoryVariants, Usage: "`FLAGS`: the flags of the old variant, in addition to those of both, or instead of them"},
		&cli.StringFlag{Name: "b", Category: categoryVariants, Usage: "`FLAGS`: those of the new one; it is judged against the old one"},
		&cli.StringFlag{Name: "max-pairs", Category: categoryVariants, Value: defaultMaxPairs, Usage: "`N`: the most pairs of runs"},
		&cli.StringFlag{Name: "budget", Category: categoryVariants, Usage: "`TIME`: seconds, or a time such as 10m: begin no pair that would probably end later", DefaultText: "no limit but --max-pairs"},
	}
	flags = append(flags, gateFlags()...)
	flags = append(flags, sharedFlags()...)
	flags = append(flags, comparisonFlags()...)
	flags = append(flags, &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryReport, Usage: "`DIR`: keep the runs of each variant there in a result file of its own; the folder is made if need be"})
	return &cli.Command{
		Name: "ab", Usage: "compare two variants in alternation: the regression gate for machines that drift",
		Description: "Runs the variants in pairs, each run on a re-created queue, and judges after each pair, until the difference is clear or the budget is spent. " +
			"A coin decides which variant of a pair runs first, so no disturbance of the machine, periodic or not, favours one of them. --seed fixes the coin too; the default is a new one each time, which is printed. " +
			"What the variants share stands outside of --a and --b; within, flags of \"qbench run\" are quoted as for a shell. " +
			"Where neither names a server and both have the same --pg-setting, they share the one that is started; otherwise each gets its own. " +
			"The exit status is 4 if a run failed its audit, 2 if one was not completed or not audited, 3 if B is slower or the comparison is inconclusive and --undecided fails it, and 0 otherwise. " +
			"Where the variable " + stepSummary + " names a file, the Markdown report is added to it.\n\n" +
			"  qbench ab -c 16 --a '-s for-update' --b '-s skip-locked'\n" +
			"  qbench ab -s skip-locked -c 16 --a '--dsn host=old' --b '--dsn host=new'\n" +
			"  qbench ab -s skip-locked --b '--pg-setting jit=off' --max-slowdown 3%\n" +
			"  qbench ab -s skip-locked -c 16 --b '--setup index.sql'",
		Flags:  flags,
		Action: a.ab,
	}
}

// ab is the command: read everything, check everything, then measure.
func (a *app) ab(c *cli.Context) error {
	v := &values{c: c}
	o := readGate(v, 0.1)
	out := a.readOutput(v, report.OfComparison)
	maxPairs := int(v.integer("max-pairs", "pairs", 1, math.MaxInt32))
	var budget time.Duration
	if v.given("budget") {
		if budget = v.duration("budget", time.Second); budget == 0 {
			v.fail("--budget %q: use a time above 0", v.text("budget"))
		}
	}
	sides, err := a.readSides(v)
	if err != nil {
		return err
	}
	trial, err := compare.NewTrial(sides[0].title, sides[1].title, o, maxPairs, compare.NewOrder(orderSeed(v)))
	if err == nil {
		err = trial.Plan(sides[0].planned(), sides[1].planned())
	}
	if err != nil {
		return fmt.Errorf("--max-pairs: %w", err)
	}
	pair := pairTime(sides)
	if least := time.Duration(trial.LeastPairs()) * pair; budget > 0 && budget < least {
		return fmt.Errorf("--budget %v: a slowdown shows after %d pairs at the earliest, and these take %v: use --budget %v or more, or a shorter -T",
			budget, trial.LeastPairs(), least, least)
	}
	return a.measure(c.Context, out, func(s *session) error {
		t := &abRun{session: s, sides: sides, trial: trial, budget: budget, now: time.Now}
		if pair > 0 {
			s.con.note("at most %d pairs of %v, plus seeding and audits", maxPairs, pair)
		}
		status, err := t.run()
		if trial.Pairs() == 0 {
			return withStatus(status, err)
		}
		rep := trial.Report()
		rep.Interrupted = status == StatusInterrupted
		if err != nil && !rep.Interrupted {
			problem := result.Problem{Severity: result.Incomplete, Kind: "incomplete", Text: a.secrets.Mask(err.Error())}
			if status == StatusAudit {
				problem.Severity, problem.Kind = result.Invalid, "audit"
			}
			rep.Problems = append(rep.Problems, problem)
		}
		lost := errors.Join(printComparison(out, rep), t.save(rep))
		return withStatus(orLost(worse(status, comparisonStatus(rep)), lost), errors.Join(err, lost))
	})
}

// pairTime is what a pair takes at least; 0 where -t ends the runs.
func pairTime(sides [2]*side) time.Duration {
	var sum time.Duration
	for _, s := range sides {
		sum += s.spec.Load.Warmup + s.spec.Load.Duration
	}
	return sum
}

// orderSeed is --seed where it is given to both variants. Otherwise every
// comparison has an order of its own: with the same one each time, a disturbance
// that happens to fit it would raise the same false alarm each time.
func orderSeed(v *values) uint64 {
	if v.given("seed") {
		return v.unsigned("seed")
	}
	return uint64(rand.Uint32())
}

// readSides reads both variants. Its errors are mistakes in usage, but for
// those of files that a variant names.
func (a *app) readSides(v *values) ([2]*side, error) {
	var sides [2]*side
	shared := givenFlags(v.c, sharedFlags())
	var own [2][]getopt.Given
	for i, name := range []string{"a", "b"} {
		flags, err := sideFlags(v.text(name))
		if err != nil {
			v.fail("--%s: %w", name, err)
		}
		own[i] = flags
	}
	if v.err == nil && !v.given("a") && !v.given("b") {
		v.fail("nothing tells the variants apart: give --a, --b or both, such as --b '--pg-setting jit=off'; --a '' compares a thing with itself")
	}
	if err := v.mistake(); err != nil {
		return sides, err
	}
	start := time.Now()
	for i, name := range []string{"a", "b"} {
		s, err := a.readSide(v.c.Context, name, combine(shared, own[i]))
		if err != nil {
			return sides, err
		}
		s.title = titleOf(own[i])
		if dir := v.text("output"); dir != "" {
			s.folder = &resultfile.Folder{Dir: dir, Title: name + "-" + s.spec.Mix.Name, Start: start}
		}
		s.file = &result.File{Format: result.Format}
		sides[i] = s
	}
	return sides, nil
}

// describePair says what a pair came to.
func describePair(rep *result.Comparison) string {
	row := rep.Rows[0]
	n := len(row.Pairs)
	pair := row.Pairs[n-1]
	text := fmt.Sprintf("pair %d (%s): %s: a %.1f, b %.1f, ratio %.3f; so far %.3f", n, rep.Order[n-1], row.Metric, pair[0], pair[1], pair[1]/pair[0], row.Ratio.Value)
	if row.Ratio.Bounded() {
		text += fmt.Sprintf(" (%.3f to %.3f)", row.Ratio.Low, row.Ratio.High)
	}
	return text + ", " + rep.Text(rep.SampleName())
}

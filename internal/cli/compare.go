package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"qbench/internal/compare"
	"qbench/internal/result"
	"qbench/internal/resultfile"
	"qbench/report"
)

const (
	categoryGate       = "What counts as slower"
	defaultMaxSlowdown = "5%"
	defaultFalseAlarms = "1%"
)

// stepSummary is where GitHub's workflows take Markdown for the run's page.
const stepSummary = "GITHUB_STEP_SUMMARY"

// gateFlags say what counts as slower.
func gateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "max-slowdown", Category: categoryGate, Value: defaultMaxSlowdown, Usage: "`LIST`: tolerated slowdown, of all metrics or of one: 5%,queue_p99=30%. A latency that decides by default has 50%"},
		&cli.StringFlag{Name: "metric", Category: categoryGate, Usage: "`LIST`: what decides: " + result.MetricList(), DefaultText: "orders_per_s, or tps where no orders are counted; and queue_p99 with producers, p99 with --rate"},
		&cli.StringFlag{Name: "false-alarms", Category: categoryGate, Value: defaultFalseAlarms, Usage: "`PERCENT`: share of comparisons of equals that may be called slower; more finds more"},
		&cli.StringFlag{Name: "undecided", Category: categoryGate, Value: string(result.UndecidedAuto), Usage: "`RULE` for an inconclusive comparison: auto fails it unless its interval excludes twice the tolerated slowdown, fail unless it excludes the tolerated one, pass lets it pass"},
	}
}

// readGate reads the flags of gateFlags; leastSlowdown is in per cent.
func readGate(v *values, leastSlowdown float64) compare.Options {
	o := compare.Options{Alpha: v.percentage("false-alarms", 0.001, 50), Undecided: result.Undecided(v.text("undecided"))}
	o.MaxSlowdown, o.Tolerate = readSlowdowns(v, leastSlowdown)
	if !slices.Contains(result.UndecidedRules, o.Undecided) {
		v.fail("--undecided %q: use auto, fail or pass", o.Undecided)
	}
	if v.given("metric") {
		o.Gate = v.list("metric")
		for _, name := range o.Gate {
			if _, err := result.LookupMetric(name); err != nil {
				v.fail("--metric: %w", err)
			}
		}
	}
	return o
}

// readSlowdowns reads --max-slowdown: a percentage of all metrics and some of
// single ones.
func readSlowdowns(v *values, least float64) (all float64, of map[string]float64) {
	const name = "max-slowdown"
	all, of = v.percent(name, defaultMaxSlowdown, least, 100), map[string]float64{}
	for _, item := range v.list(name) {
		metric, text, named := strings.Cut(item, "=")
		if !named {
			all = v.percent(name, item, least, 100)
			continue
		}
		m, err := result.LookupMetric(strings.TrimSpace(metric))
		if err != nil {
			v.fail("--%s: %w", name, err)
			continue
		}
		of[m.Name] = v.percent(name, text, least, 100)
	}
	return all, of
}

// comparisonFlags say how a comparison is printed.
func comparisonFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Category: categoryReport, Value: "text", Usage: "`NAME`: " + strings.Join(report.OfComparison.Formats(), ", ")},
		&cli.BoolFlag{Name: "no-color", Category: categoryReport, Usage: "no colours; $NO_COLOR does the same, and only terminals get any"},
	}
}

// printComparison prints a comparison and adds it to the workflow's page.
func printComparison(out *output, r *result.Comparison) error {
	return errors.Join(out.print(&result.File{Comparison: r}), addStepSummary(r))
}

func (a *app) compareCommand() *cli.Command {
	flags := append(gateFlags(), &cli.StringSliceFlag{Name: "across", Category: categoryGate, Usage: "`NAME`: compare on purpose although this part of the configuration differs: the name of a flag, parameter or setting (index, payload-bytes, server, synchronous_commit); may be given more than once, or as a list"})
	return &cli.Command{
		Name: "compare", ArgsUsage: "BASE NEW",
		Usage: "judge new results against a baseline: a regression gate",
		Description: "BASE and NEW are result files (qbench run --json), or folders of them. Each run is one sample: measure both with --repeat 10. " +
			"Their configurations must be equal; what else is different (a script's text, minor versions, the machine) is named. " +
			"The exit status is 4 if a run of either failed its audit; else 1 if the two were not run alike or have too few runs to ever find a slowdown; " +
			"else 2 if a run or a configuration is missing, was aborted or was not audited; else 3 if NEW is slower, or the comparison is inconclusive and --undecided fails it; and 0 otherwise. " +
			"Where the variable " + stepSummary + " names a file, the Markdown report is added to it.\n\n" +
			"  qbench run --strategy skip-locked -c 64 -T 10 --repeat 10 --json new.json\n  qbench compare base.json new.json --max-slowdown 5%",
		Flags:  append(flags, comparisonFlags()...),
		Action: a.compare,
	}
}

func (a *app) compare(c *cli.Context) error {
	v := &values{c: c}
	o := readGate(v, 0)
	for _, list := range c.StringSlice("across") {
		for _, name := range strings.Split(list, ",") {
			o.Across = append(o.Across, strings.TrimLeft(strings.TrimSpace(name), "-"))
		}
	}
	out := a.readOutput(v, report.OfComparison)
	if n := c.Args().Len(); n != 2 {
		v.fail("compare needs two files or folders, BASE and NEW; got %d", n)
	}
	if err := v.mistake(); err != nil {
		return err
	}
	base, err := a.readSet(c.Args().Get(0))
	if err != nil {
		return err
	}
	new, err := a.readSet(c.Args().Get(1))
	if err != nil {
		return err
	}
	r, err := compare.Compare(base, new, o)
	if err != nil {
		return err
	}
	lost := printComparison(out, r)
	return withStatus(orLost(comparisonStatus(r), lost), lost)
}

// comparisonStatus is the exit status that a comparison calls for.
func comparisonStatus(r *result.Comparison) Status {
	status := StatusOK
	if r.Failed() {
		status = StatusFailed
	}
	for _, p := range r.Problems {
		switch p.Severity {
		case result.Invalid:
			status = worse(status, StatusAudit)
		case result.Refused:
			status = worse(status, StatusUsage)
		case result.Incomplete:
			status = worse(status, StatusIncomplete)
		}
	}
	return status
}

// percentage reads a flag as percent does.
func (v *values) percentage(name string, least, most float64) float64 {
	return v.percent(name, v.text(name), least, most)
}

// percent reads "5%" or "5" as 0.05; its value must be at least least and
// below most per cent.
func (v *values) percent(name, value string, least, most float64) float64 {
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "%"))
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= least && n < most) {
		v.fail("%s %q: not a percentage: use a number from %g to below %g, such as %s", v.label(name), value, least, most, defaultMaxSlowdown)
		return 0
	}
	return n / 100
}

// readSet reads a result file, or all those of a folder.
func (a *app) readSet(path string) (compare.Set, error) {
	files, err := a.readResults(path)
	if err != nil {
		return compare.Set{}, err
	}
	return compare.NewSet(path, files...), nil
}

// readResults reads result files and folders of them. What could not be read in
// a folder is named and left out.
func (a *app) readResults(names ...string) ([]*result.File, error) {
	var all []*result.File
	for _, name := range names {
		files, ignored, err := resultfile.Read(name)
		if err != nil {
			return nil, err
		}
		for _, err := range ignored {
			fmt.Fprintf(a.stderr, "qbench: warning: ignored: %v\n", err)
		}
		all = append(all, files...)
	}
	return all, nil
}

// addStepSummary appends to the page of a GitHub workflow's run.
func addStepSummary(r *result.Comparison) error {
	path := os.Getenv(stepSummary)
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("$%s: %w", stepSummary, err)
	}
	err = errors.Join(report.CompareMarkdown(f, r, report.Options{}), f.Close())
	if err != nil {
		return fmt.Errorf("write $%s: %w", stepSummary, err)
	}
	return nil
}

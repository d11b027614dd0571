package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"qbench/internal/nearest"
	"qbench/internal/printable"
	"qbench/internal/result"
	"qbench/internal/resultfile"
	"qbench/report"
)

func (a *app) reportCommand() *cli.Command {
	return &cli.Command{
		Name: "report", ArgsUsage: "FILE...",
		Usage: "render saved results in any format",
		Description: "FILE is a result file (--json or -o of qbench run, ab and capacity), or a folder of them; the runs and capacities of several files are put together. " +
			"A file that holds a comparison or a capacity is shown as such; formats for runs alone, such as csv, show its runs. " +
			"With --fail-if the exit status is 3 if a condition is true of a run, 4 if a run failed its audit, since its numbers mean nothing, and 2 if a run was not audited, was interrupted or lost clients.\n\n" +
			"  qbench report result.json --format html -o result.html\n  qbench report results/ --format benchfmt",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "format", Category: categoryReport, Usage: "`NAME`: " + strings.Join(savedFormats(), ", "), DefaultText: "text, of several runs table"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryReport, Usage: "`FILE`: write the report there instead of to standard output"},
			&cli.BoolFlag{Name: "no-charts", Category: categoryReport, Usage: "no charts; only the format text has any, and only on a terminal"},
			&cli.BoolFlag{Name: "no-color", Category: categoryReport, Usage: "no colours; $NO_COLOR does the same, and only terminals get any"},
		}, thresholdFlags()...),
		Action: a.report,
	}
}

// savedFormats are the formats of all that a file may hold.
func savedFormats() []string {
	return unique(slices.Concat(report.OfRuns.Formats(), report.OfComparison.Formats(), report.OfCapacity.Formats()))
}

func (a *app) report(c *cli.Context) error {
	v := &values{c: c}
	out := &output{format: v.text("format"), noColor: c.Bool("no-color"), noCharts: c.Bool("no-charts"), stdout: printable.Unwrap(a.stdout), stderr: a.stderr}
	if names := savedFormats(); out.format != "" && !slices.Contains(names, out.format) {
		v.fail("--format: unknown report format %q%s (one of %s)", out.format, nearest.DidYouMean(out.format, names), strings.Join(names, ", "))
	}
	limits := readThresholds(v)
	if v.given("output") && v.text("output") == "" {
		v.fail("-o needs the name of a file")
	}
	if c.Args().Len() == 0 {
		v.fail("no result file is named: qbench report FILE")
	}
	if err := v.mistake(); err != nil {
		return err
	}
	if err := limits.check(); err != nil {
		return err
	}
	files, err := a.readResults(c.Args().Slice()...)
	if err != nil {
		return err
	}
	joined, lostByJoining := result.Join(files)
	for _, d := range lostByJoining {
		fmt.Fprintf(a.stderr, "qbench: warning: %s\n", d)
	}
	if len(limits.list) > 0 && len(joined.Runs) == 0 {
		return errors.New("the results hold no run, so there is nothing that --fail-if could be checked on")
	}
	lost := out.printTo(v.text("output"), joined)
	status, err := limits.apply(a.stderr, joined.Runs)
	lost = errors.Join(lost, err)
	for _, r := range joined.Runs {
		switch audit := report.AuditOf(r); {
		case len(limits.list) == 0:
		case audit == report.AuditFailed:
			status = worse(status, StatusAudit)
		case audit == report.AuditMissing, r.AbortedClients > 0, r.Interrupted:
			status = worse(status, StatusIncomplete)
		}
	}
	return withStatus(orLost(status, lost), lost)
}

// printTo prints a result as the command run does, into a file if one is named.
func (o *output) printTo(path string, f *result.File) error {
	if path == "" {
		return o.print(f)
	}
	file := resultfile.New(path)
	if err := file.Check(); err != nil {
		return err
	}
	to := *o
	to.noColor, to.noCharts = true, true
	return file.Fill(func(w io.Writer) error {
		to.stdout = w
		return to.printReport(f)
	})
}

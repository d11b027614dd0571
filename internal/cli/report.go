package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"qbench/internal/printable"
	"qbench/internal/result"
	"qbench/internal/resultfile"
	"qbench/report"
)

func (a *app) reportCommand() *cli.Command {
	return &cli.Command{
		Name: "report", ArgsUsage: "FILE...",
		Usage: "render saved results in any format",
		Description: "FILE is a result file (qbench run --json, or -o), or a folder of them; the runs of several files are put together. " +
			"With --fail-if the exit status is 3 if a condition is true of a run, 4 if a run failed its audit, since its numbers mean nothing, and 2 if a run was not audited, was interrupted or lost clients.\n\n" +
			"  qbench report result.json --format html -o result.html\n  qbench report results/ --format benchfmt",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "format", Category: categoryReport, Usage: "`NAME`: " + strings.Join(report.OfRuns.Formats(), ", "), DefaultText: "text, of several runs table"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryReport, Usage: "`FILE`: write the report there instead of to standard output"},
			&cli.BoolFlag{Name: "no-charts", Category: categoryReport, Usage: "no charts; only the format text has any, and only on a terminal"},
			&cli.BoolFlag{Name: "no-color", Category: categoryReport, Usage: "no colours; $NO_COLOR does the same, and only terminals get any"},
		}, thresholdFlags()...),
		Action: a.report,
	}
}

func (a *app) report(c *cli.Context) error {
	v := &values{c: c}
	out := &output{format: v.text("format"), noColor: c.Bool("no-color"), noCharts: c.Bool("no-charts"), stdout: printable.Unwrap(a.stdout), stderr: a.stderr}
	if out.format != "" {
		if _, err := report.OfRuns.Lookup(out.format); err != nil {
			v.fail("--format: %w", err)
		}
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
	joined, differences, err := result.Join(files)
	if err != nil {
		return err
	}
	for _, d := range differences {
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

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qbench/internal/printable"
	"qbench/internal/result"
	"qbench/internal/resultfile"
	"qbench/internal/terminal"
	"qbench/report"
)

const defaultLogPrefix = "qbench_log"

func reportFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "format", Category: categoryReport, Usage: "`NAME`: " + strings.Join(report.OfRuns.Formats(), ", "), DefaultText: "text, of several runs table"},
		&cli.StringFlag{Name: "json", Category: categoryReport, Usage: "`FILE`: write the result file as well; - is standard output, and moves the report to standard error"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryReport, Usage: "`DIR`: keep the result file there as well, under a name of its own (time and strategies); the folder is made if need be"},
		&cli.BoolFlag{Name: "report-per-command", Aliases: []string{"r"}, Category: categoryReport, Usage: "latency of each statement"},
		&cli.BoolFlag{Name: "no-charts", Category: categoryReport, Usage: "no charts; only the format text has any, and only on a terminal"},
		&cli.BoolFlag{Name: "no-color", Category: categoryReport, Usage: "no colours; $NO_COLOR does the same, and only terminals get any"},
		&cli.BoolFlag{Name: "log", Aliases: []string{"l"}, Category: categoryReport, Usage: "write each transaction's outcome to a file per thread, in pgbench's format"},
		&cli.StringFlag{Name: "log-prefix", Category: categoryReport, Value: defaultLogPrefix, Usage: "`PREFIX`: of the log files' names; the process id follows, of several runs the run's number too"},
	}, thresholdFlags()...)
}

// output is where a command's results go.
type output struct {
	format   string // "" is the command's choice
	json     *resultfile.File
	folder   *resultfile.Folder // of -o; nil without
	noColor  bool
	noCharts bool
	stdout   io.Writer // of the report
	stderr   io.Writer // of warnings that the format has no place for
	jsonOut  io.Writer // of --json -; nil otherwise
}

// readOutput reads the flags of reportFlags, for results of a kind. Nothing is
// written before open.
func (a *app) readOutput(v *values, kind report.Kind) *output {
	o := &output{format: v.text("format"), noColor: v.c.Bool("no-color"), noCharts: v.c.Bool("no-charts"), stdout: printable.Unwrap(a.stdout), stderr: a.stderr}
	if o.format != "" {
		if _, err := kind.Lookup(o.format); err != nil {
			v.fail("--format: %w", err)
		}
	}
	switch path := v.text("json"); {
	case path == "-":
		o.stdout, o.jsonOut = printable.Unwrap(a.stderr), o.stdout
	case path != "":
		o.json = resultfile.New(path)
	case v.given("json"):
		v.fail("--json needs the name of a file, or - for standard output")
	}
	switch dir := v.text("output"); {
	case dir != "":
		o.folder = &resultfile.Folder{Dir: dir, Start: time.Now()}
	case v.given("output"):
		v.fail("-o needs the name of a folder")
	}
	return o
}

// open finds out now what could keep the results from being written later.
func (o *output) open() error {
	if o.folder != nil {
		if err := o.folder.Open(); err != nil {
			return err
		}
	}
	if o.json == nil {
		return nil
	}
	return o.json.Check()
}

// save writes the result files. Before the last time there are more runs to
// come, and a file that cannot be replaced is left alone.
func (o *output) save(f *result.File, last bool) error {
	var err error
	if o.json != nil && (last || !o.json.Special()) {
		err = o.json.Write(f)
	}
	if o.folder != nil {
		err = errors.Join(err, o.folder.Write(f))
	}
	return err
}

// print writes the report and, where --json is -, the result file after it, be
// the report printed or not.
func (o *output) print(f *result.File) error {
	err := o.printReport(f)
	if err != nil {
		err = fmt.Errorf("print the report: %w", resultfile.Reason(err))
	}
	if o.jsonOut != nil {
		err = errors.Join(err, report.JSON(o.jsonOut, f, report.Options{}))
	}
	return err
}

func (o *output) printReport(f *result.File) error {
	options := reportOptions(o.stdout, o.noColor)
	// A chart is part of what capacity planning answers with.
	options.Charts = !o.noCharts && (terminal.Is(o.stdout) || report.KindOf(f) == report.OfCapacity)
	for _, text := range report.Omitted(f, o.format) {
		fmt.Fprintf(o.stderr, "qbench: warning: %s\n", text)
	}
	return report.Render(o.stdout, f, o.format, options)
}

// reportOptions say what a stream can show. Files and pipes get plain ASCII at
// a fixed width, so that a saved report is the same everywhere.
func reportOptions(w io.Writer, noColor bool) report.Options {
	o := report.Options{Width: terminal.Width(w)}
	if terminal.Is(w) {
		// https://no-color.org: present and not empty.
		o.Color = !noColor && os.Getenv("NO_COLOR") == ""
		o.Unicode = terminal.SpeaksUTF8()
	}
	return o
}

package cli

import (
	"io"

	"qbench/internal/result"
	"qbench/report"
)

// capacityOutput is where the command's report goes.
type capacityOutput struct {
	*output
	format string
}

// capacityDestination reads --json and --no-color; the names of --format are
// the command's own.
func (a *app) capacityDestination(v *values) *output {
	o := a.readOutput(v)
	o.format = ""
	return o
}

// print writes the report, and the result file where --json is -.
func (o *capacityOutput) print(f *result.File) error {
	options := reportOptions(o.stdout, o.noColor)
	options.Charts = true
	return o.printed(renderCapacity(o.stdout, o.format, f, options), f)
}

func renderCapacity(w io.Writer, format string, f *result.File, o report.Options) error {
	switch format {
	case "markdown":
		return report.CapacityMarkdown(w, f, o)
	case "html":
		return report.CapacityHTML(w, f, &f.Environment, o)
	case "json":
		return report.JSON(w, f, o)
	default:
		return report.Capacity(w, f, o)
	}
}

package cli

import (
	"io"

	"qbench/internal/result"
	"qbench/report"
)

// capacityDestination reads --json and --no-color; the names of --format are
// the command's own.
func (a *app) capacityDestination(v *values) *output {
	o := a.readOutput(v)
	o.format = ""
	return o
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

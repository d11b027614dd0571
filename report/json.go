package report

import (
	"io"
	"strings"

	"qbench/internal/printable"
	"qbench/internal/result"
)

// JSON writes the result file itself. It ignores the options.
func JSON(w io.Writer, f *result.File, _ Options) error {
	var b strings.Builder
	if err := result.Write(&b, f); err != nil {
		return err
	}
	_, err := io.WriteString(w, printable.JSON(b.String()))
	return err
}

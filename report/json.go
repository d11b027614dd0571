package report

import (
	"encoding/json"
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

func writeJSON(w io.Writer, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, printable.JSON(b.String()))
	return err
}

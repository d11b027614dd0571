package cli

import (
	"errors"
	"os"

	"qbench/internal/printable"
)

// checkStdout refuses to measure when the report would be lost.
func (a *app) checkStdout() error {
	if f, ok := printable.Unwrap(a.stdout).(*os.File); ok && closedStream(f) {
		return errors.New("standard output is closed, so the report would be lost: redirect it to a file, or to /dev/null with >/dev/null")
	}
	return nil
}

package cli

import (
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"qbench/report"
)

// isTerminal tells whether a stream is a person's screen.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// reportOptions say what a stream can show. Files and pipes get plain ASCII at
// a fixed width, so that a saved report is the same everywhere.
func reportOptions(w io.Writer, noColor bool) report.Options {
	o := report.Options{Width: screenWidth(w)}
	if isTerminal(w) {
		// https://no-color.org: present and not empty.
		o.Color = !noColor && os.Getenv("NO_COLOR") == ""
		o.Unicode = speaksUTF8()
	}
	return o
}

const fallbackWidth = 80

// screenWidth is the terminal's width, else $COLUMNS, else 80.
func screenWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return fallbackWidth
}

// speaksUTF8 asks the locale, in POSIX's order of precedence. With none set at
// all, as in most containers, today's terminals are taken for what they are.
func speaksUTF8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(os.Getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

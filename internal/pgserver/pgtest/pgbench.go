package pgtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"qbench/internal/pgserver"
)

// Pgbench is the path of a real pgbench to compare with. Where there is none the test is skipped and says so; where $CI is
// set it fails.
func Pgbench(tb testing.TB) string {
	tb.Helper()
	var dirs []string
	// The PATH comes last: Debian's pgbench there is a wrapper that takes longer to start than a short run lasts.
	if dir, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(dir)))
	}
	if dir, err := pgserver.Find(""); err == nil {
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		if path, err := exec.LookPath(filepath.Join(dir, "pgbench")); err == nil {
			return path
		}
	}
	if path, err := exec.LookPath("pgbench"); err == nil {
		return path
	}
	const lacking = "%s needs pgbench, which is neither beside the server's binaries nor on PATH"
	if os.Getenv("CI") != "" {
		tb.Fatalf(lacking, tb.Name())
	}
	tb.Skipf(lacking, tb.Name())
	return ""
}

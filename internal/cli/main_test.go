package cli

import (
	"bytes"
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"qbench/internal/pgserver/pgtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// beQbench makes the test binary be qbench, for tests that send it signals.
const beQbench = "QBENCH_TEST_BE_QBENCH"

// runTests runs the package's tests; scripts_test.go replaces it.
var runTests = func(m *testing.M) {
	forgetServers()
	pgtest.Main(m)
}

// forgetServers makes that no server is named: the tests say which they mean.
func forgetServers() {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "PG") {
			os.Unsetenv(name)
		}
	}
}

func qbench() {
	os.Exit(Main(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr))
}

func TestMain(m *testing.M) {
	if os.Getenv(beQbench) != "" {
		qbench()
	}
	runTests(m)
}

// call runs a command line in this process.
func call(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = Main(context.Background(), append([]string{"qbench"}, args...), strings.NewReader(""), &out, &err)
	return status, out.String(), err.String()
}

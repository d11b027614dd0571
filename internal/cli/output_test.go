package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"qbench/internal/result"
)

func saved(t *testing.T, path string) int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	file, err := result.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return len(file.Runs)
}

func TestResultFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link := filepath.Join(dir, "r.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skipf("no symbolic link can be made: %v", err)
	}
	file := &result.File{Format: result.Format}

	r := &resultFile{path: link}
	if err := r.check(); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "old" {
		t.Errorf("a run without a result left %q", text)
	}

	for n := range 3 {
		if err := r.write(file); err != nil {
			t.Fatal(err)
		}
		if got := saved(t, path); got != n {
			t.Errorf("%d runs saved, want %d", got, n)
		}
		file.Runs = append(file.Runs, &result.Run{Configuration: result.Configuration{Strategy: "s"}})
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestResultFileRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, want := range map[string]string{
		dir:                              "is a folder: name a file in it",
		filepath.Join(dir, "no", "x.js"): "the result file cannot be written: " + filepath.Join(dir, "no") + ": no such file or directory",
	} {
		if err := (&resultFile{path: path}).check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// A device takes the result as it is; it cannot be renamed over.
func TestResultToDevice(t *testing.T) {
	t.Parallel()
	r := &resultFile{path: os.DevNull}
	if err := r.check(); err != nil {
		t.Fatal(err)
	}
	if err := r.write(&result.File{Format: result.Format}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%s was replaced: %v, %v", os.DevNull, info, err)
	}
}

// With --json - only the result file is on stdout.
func TestPrint(t *testing.T) {
	t.Parallel()
	var text, json bytes.Buffer
	o := &output{format: "pgbench", stdout: &text, jsonOut: &json}
	if err := o.print(&result.File{Format: result.Format, Runs: []*result.Run{{Configuration: result.Configuration{Strategy: "s"}}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := result.Read(&json); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(text.String(), "transaction type: ") || strings.Contains(text.String(), "\x1b") {
		t.Errorf("%q", text.String())
	}
}

package resultfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

	r := New(link)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "old" {
		t.Errorf("a run without a result left %q", text)
	}

	for n := range 3 {
		if err := r.Write(file); err != nil {
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
		if err := New(path).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// A device takes the result as it is; it cannot be renamed over.
func TestResultToDevice(t *testing.T) {
	t.Parallel()
	r := New(os.DevNull)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(&result.File{Format: result.Format}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%s was replaced: %v, %v", os.DevNull, info, err)
	}
}

func TestResultFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	start := time.Date(2026, 10, 1, 12, 30, 5, 0, time.FixedZone("", 3600))
	file := &result.File{Format: result.Format}
	var paths []string
	for range 3 {
		r := &Folder{Dir: dir, Title: "skip-locked+my queue/é", Start: start}
		if err := r.Open(); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second one replaces the first
			if err := r.Write(file); err != nil {
				t.Fatal(err)
			}
		}
		paths = append(paths, filepath.Base(r.Path()))
	}
	name := "20261001T113005Z-skip-locked+my_queue__"
	if want := []string{name + ".json", name + "-2.json", name + "-3.json"}; !slices.Equal(paths, want) {
		t.Errorf("%q, want %q", paths, want)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
	r := &Folder{Dir: dir, Title: strings.Repeat("x", 1000), Start: start}
	if err := r.Write(file); err != nil {
		t.Error(err)
	}
}

package resultfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"qbench/internal/result"
)

// A folder's files come in the order of their names; what is none of qbench's
// results is named, and no other file is looked at.
func TestReadFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "with [a] *")
	for name, strategy := range map[string]string{"b.json": "second", "a.json": "first", "c.txt": "other"} {
		f := &Folder{Dir: dir}
		if err := f.Open(); err != nil {
			t.Fatal(err)
		}
		if err := New(filepath.Join(dir, name)).Write(&result.File{Runs: []*result.Run{{Configuration: result.Configuration{Strategy: strategy}}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "d.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "e.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	files, ignored, err := Read(dir)
	if err != nil || len(files) != 2 || files[0].Runs[0].Strategy != "first" || files[1].Runs[0].Strategy != "second" {
		t.Errorf("%v, %v", files, err)
	}
	if len(ignored) != 2 || !strings.Contains(ignored[0].Error(), "d.json is not a file") || !strings.Contains(ignored[1].Error(), "e.json") {
		t.Errorf("ignored: %v", ignored)
	}
}

func TestReadRefused(t *testing.T) {
	t.Parallel()
	dir, damaged := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "x.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		dir:                              "holds no result files (*.json): write some with qbench run -o",
		damaged:                          "holds no result files that can be read: ",
		filepath.Join(dir, "none.json"):  "there is no result file ",
		filepath.Join(damaged, "x.json"): "it is empty",
	} {
		if _, _, err := Read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

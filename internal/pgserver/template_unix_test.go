//go:build linux || darwin

package pgserver

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// cluster stands for an initialised data folder; a template doesn't look at what the files mean.
func cluster(t *testing.T, mark string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"PG_VERSION": "15\n", "global/pg_control": mark, "base/1/1247": "", "base/1/1248": "rows"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTemplateIsCheckedWhenCopied(t *testing.T) {
	t.Parallel()
	in := func(f func(path string) error, name string) func(string) error {
		return func(dir string) error { return f(filepath.Join(dir, name)) }
	}
	cut := func(path string) error { return os.Truncate(path, 1) }
	tests := []struct {
		name   string
		damage func(dir string) error
		sound  bool
	}{
		{"sound", func(string) error { return nil }, true},
		{"a file cut short", in(cut, "data/base/1/1248"), false},
		{"a byte changed", in(func(p string) error { return os.WriteFile(p, []byte("16\n"), 0o600) }, "data/PG_VERSION"), false},
		{"an empty file lost", in(os.Remove, "data/base/1/1247"), false},
		{"a file too many", in(func(p string) error { return os.WriteFile(p, nil, 0o600) }, "data/base/1/1249"), false},
		{"a file under another name", in(func(p string) error { return os.Rename(p, p+"1") }, "data/base/1/1248"), false},
		{"a link", in(func(p string) error { return os.Symlink("/dev/zero", p) }, "data/base/1/1249"), false},
		{"no data", in(os.RemoveAll, "data"), false},
		{"a manifest cut short", in(cut, "manifest.json"), false},
		{"no manifest", in(os.Remove, "manifest.json"), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tmpl := newTemplate(t.TempDir(), "/bin", version{full: "15.1"})
			if err := saveTo(t, tmpl, cluster(t, "first")); err != nil {
				t.Fatal(err)
			}
			if err := test.damage(tmpl.dir); err != nil {
				t.Fatal(err)
			}
			dst := filepath.Join(t.TempDir(), "data")
			err := tmpl.copyTo(dst, account{})
			if (err == nil) != test.sound {
				t.Fatalf("copyTo = %v", err)
			}
			if test.sound {
				same(t, dst, "first")
				return
			}
			if _, err := os.Stat(dst); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("half a copy was left: %v", err)
			}
			if err := saveTo(t, tmpl, cluster(t, "second")); err != nil {
				t.Fatal(err)
			}
			if err := tmpl.copyTo(dst, account{}); err != nil {
				t.Errorf("after it was made anew: %v", err)
			}
			same(t, dst, "second")
		})
	}
}

// saveTo makes the template from a folder of this user's.
func saveTo(t *testing.T, tmpl *template, dir string) error {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	return errors.Join(tmpl.save(root, os.Geteuid()), root.Close())
}

func same(t *testing.T, dir, mark string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, "global/pg_control"))
	if err != nil || string(got) != mark {
		t.Errorf("copied %q, %v; want %q", got, err, mark)
	}
}

func TestTemplateOfAnotherVersionIsReplaced(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	if err := saveTo(t, newTemplate(cache, "/bin", version{full: "15.1"}), cluster(t, "15.1")); err != nil {
		t.Fatal(err)
	}
	upgraded := newTemplate(cache, "/bin", version{full: "15.2"})
	dst := filepath.Join(t.TempDir(), "data")
	if err := upgraded.copyTo(dst, account{}); !errors.Is(err, errNoTemplate) {
		t.Errorf("copyTo of another version's template = %v", err)
	}
	if err := saveTo(t, upgraded, cluster(t, "15.2")); err != nil {
		t.Fatal(err)
	}
	if err := upgraded.copyTo(dst, account{}); err != nil {
		t.Error(err)
	}
	same(t, dst, "15.2")
}

// Whoever saves and whoever copies at the same time: a copy is whole or refused, and nothing but the template stays.
func TestTemplateUnderConcurrentUse(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	tmpl := newTemplate(cache, "/bin", version{full: "15.1"})
	src := cluster(t, "mark")
	dst := t.TempDir()
	var all sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d"} {
		all.Go(func() {
			if err := saveTo(t, tmpl, src); err != nil {
				t.Errorf("save: %v", err)
			}
			target := filepath.Join(dst, name)
			if err := tmpl.copyTo(target, account{}); err != nil {
				t.Errorf("copyTo: %v", err)
			}
			same(t, target, "mark")
		})
	}
	all.Wait()
	entries, err := os.ReadDir(filepath.Join(cache, "clusters"))
	if err != nil || len(entries) != 1 {
		t.Errorf("in the cache: %v, %v", entries, err)
	}
}

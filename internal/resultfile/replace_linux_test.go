package resultfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// What is not complete has no name, so that a process that is killed leaves
// nothing behind.
func TestAsideHasNoName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, err := writeAside(filepath.Join(dir, "r.json"), []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.discard()
	if a.temporary != "" {
		t.Skip("the file system of the temporary folder cannot do that")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestReplacedFileKeepsModeAndOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "r.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(path, 12345, 54321); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := os.Stat(path)
	if err := replaceFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	was, is := before.Sys().(*syscall.Stat_t), after.Sys().(*syscall.Stat_t)
	if was.Uid != is.Uid || was.Gid != is.Gid || was.Mode != is.Mode || was.Ino == is.Ino {
		t.Errorf("%+v became %+v", was, is)
	}
	if text, _ := os.ReadFile(path); string(text) != "new" {
		t.Errorf("%q", text)
	}
}

// On a full disk an earlier result stays, and no stub is made.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mount("qbench-test", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no file system can be mounted: %v", err)
	}
	defer func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }()
	old := filepath.Join(dir, "old.json")
	if err := os.WriteFile(old, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	large := make([]byte, 1<<20)
	for path, write := range map[string]func(string, []byte) error{
		old: replaceFile, filepath.Join(dir, "new.json"): replaceFile, filepath.Join(dir, "created.json"): createFile,
	} {
		if err := write(path, large); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text, _ := os.ReadFile(old); string(text) != "old" {
		t.Errorf("the earlier result is %d bytes", len(text))
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

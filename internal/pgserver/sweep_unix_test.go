//go:build linux || darwin

package pgserver

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// self is an account that is this user, whoever that is.
func self() account { return account{uid: os.Geteuid(), gid: os.Getegid()} }

// desert is a folder whose owner ended without a word.
func desert(t *testing.T, base string) string {
	t.Helper()
	f, err := newFolderIn(base, self())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{f.part(dataDir), f.part(socketFile), filepath.Join(f.path, logFile)} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Closing alone would not give the lock up at once: a program that a test beside this one starts holds a copy of the
	// handle until it executes.
	if err := errors.Join(syscall.Flock(int(f.owner.Fd()), syscall.LOCK_UN), f.owner.Close()); err != nil {
		t.Fatal(err)
	}
	return f.path
}

// Only what this user's qbench made, for the name it still has, with nothing else in it, is removed.
func TestSweepRemovesItsOwnOnly(t *testing.T) {
	t.Parallel()
	write := func(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }
	for name, c := range map[string]struct {
		change func(path string) error
		gone   bool
	}{
		"deserted":               {func(string) error { return nil }, true},
		"before it had anything": {func(p string) error { return os.RemoveAll(filepath.Join(p, serverDir)) }, true},
		"kept":                   {func(p string) error { return write(filepath.Join(p, keptFile), "") }, false},
		"somebody's notes":       {func(p string) error { return write(filepath.Join(p, "notes"), "") }, false},
		"notes in its part":      {func(p string) error { return write(filepath.Join(p, serverDir, "notes"), "") }, false},
		"an empty owner file":    {func(p string) error { return write(filepath.Join(p, ownerFile), "") }, false},
		"another's owner file":   {func(p string) error { return write(filepath.Join(p, ownerFile), "qbench-like\n") }, false},
		"more in the owner file": {func(p string) error {
			return write(filepath.Join(p, ownerFile), ownerText(filepath.Base(p))+"x")
		}, false},
		"a link to an owner file": {func(p string) error {
			return errors.Join(os.Rename(filepath.Join(p, ownerFile), filepath.Join(p, logFile)), os.Symlink(logFile, filepath.Join(p, ownerFile)))
		}, false},
		"a pipe as owner file": {func(p string) error {
			return errors.Join(os.Remove(filepath.Join(p, ownerFile)), syscall.Mkfifo(filepath.Join(p, ownerFile), 0o600))
		}, false},
		"a link as its part": {func(p string) error {
			return errors.Join(os.RemoveAll(filepath.Join(p, serverDir)), os.Symlink(".", filepath.Join(p, serverDir)))
		}, false},
		"writable by all": {func(p string) error { return os.Chmod(p, 0o777) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			path := desert(t, base)
			if err := c.change(path); err != nil {
				t.Fatal(err)
			}
			sweep(base, self())
			if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) != c.gone {
				t.Errorf("%v, want gone: %t", err, c.gone)
			}
		})
	}
}

func TestSweepLeavesOtherNames(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	// The base's name is no pattern.
	base = filepath.Join(base, "a[b")
	if err := os.Mkdir(base, 0o700); err != nil {
		t.Fatal(err)
	}
	owned, err := newFolderIn(base, self())
	if err != nil {
		t.Fatal(err)
	}
	renamed := filepath.Join(base, folderPrefix+"saved")
	if err := os.Rename(desert(t, base), renamed); err != nil {
		t.Fatal(err)
	}
	// A link to a folder is not the folder, although its name is the one in the owner file.
	moved := desert(t, base)
	aside := filepath.Join(t.TempDir(), "aside")
	if err := errors.Join(os.Rename(moved, aside), os.Symlink(aside, moved)); err != nil {
		t.Fatal(err)
	}
	gone := desert(t, base)
	sweep(base, self())
	for path, want := range map[string]bool{owned.path: false, renamed: false, aside: false, filepath.Join(aside, logFile): false, gone: true} {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) != want {
			t.Errorf("%s: %v, want gone: %t", path, err, want)
		}
	}
	if err := owned.remove(); err != nil {
		t.Error(err)
	}
}

// Root leaves the folders of other users alone: their qbench may still have a use for them, and they may have made them up.
func TestSweepLeavesOtherUsersFoldersAsRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	const other = 12345
	for name, give := range map[string]func(path string) error{
		"the folder":     func(p string) error { return os.Chown(p, other, other) },
		"the owner file": func(p string) error { return os.Chown(filepath.Join(p, ownerFile), other, other) },
		"its part":       func(p string) error { return os.Chown(filepath.Join(p, serverDir), other, other) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			path := desert(t, base)
			if err := give(path); err != nil {
				t.Fatal(err)
			}
			sweep(base, self())
			if _, err := os.Lstat(filepath.Join(path, logFile)); err != nil {
				t.Errorf("%s is another user's, and was removed: %v", name, err)
			}
		})
	}
}

// A kept server may be stopped, by a reboot for one, and its data still be wanted.
func TestKeptFolderOutlivesItsServer(t *testing.T) {
	t.Parallel()
	o := place(t)
	kept := run(t, o, "keep")
	a, err := serverAccount()
	if err != nil {
		t.Fatal(err)
	}
	stop, _, _ := strings.Cut(kept.stopCmd, "; rm")
	if out, err := exec.Command("/bin/sh", "-c", stop).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", stop, err, out)
	}
	sweep(o.base, a)
	if _, err := os.Stat(filepath.Join(kept.folder, serverDir, dataDir, "PG_VERSION")); err != nil {
		t.Errorf("the data of a kept server: %v", err)
	}
	// The command that was printed removes the folder of a server that no longer runs as well.
	if out, err := exec.Command("/bin/sh", "-c", kept.stopCmd).CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", kept.stopCmd, err, out)
	}
	kept.end(t, o.base)
}

// connects fails when a server can't be reached.
func connects(t *testing.T, dsn string) {
	t.Helper()
	conn, err := pgconn.Connect(context.Background(), dsn)
	if err != nil {
		t.Error(err)
		return
	}
	if err := conn.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

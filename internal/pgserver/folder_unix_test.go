//go:build linux || darwin

package pgserver

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A temporary folder may have any name; libpq can't be told of a socket in some of them.
func TestTemporaryFoldersOfAllNames(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	for name, below := range map[string]string{
		"a comma": "a,b", "blanks and quotes": `a "b" 'c' \d`, "a pattern": "a[b*", "a percent sign": "%p",
		"too long for a socket": strings.Repeat("long/", 30) + "x", "not ASCII": "größe",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := place(t)
			o.base, o.CacheDir = filepath.Join(o.base, below), cache
			if err := os.MkdirAll(o.base, 0o711); err != nil {
				t.Fatal(err)
			}
			s := start(t, o)
			connects(t, s.DSN())
			if got := ask(t, s, "select current_setting('data_directory')"); !strings.HasPrefix(got, o.base) {
				t.Errorf("the data is in %s", got)
			}
			out, err := exec.Command("/bin/sh", "-c", s.HowToConnect()+" -Atc 'select 1+1'").CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != "2" {
				t.Errorf("%s: %v: %s", s.HowToConnect(), err, out)
			}
			paths := s.process.folderPaths()
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
			for _, path := range paths {
				if _, err := os.Lstat(path); !os.IsNotExist(err) {
					t.Errorf("%s stays: %v", path, err)
				}
			}
			nothingIn(t, o.base)
		})
	}
}

// The guard and the printed command look after both folders.
func TestFolderWithACommaIsCleanedUp(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"killed", "keep"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			o := place(t)
			o.base = filepath.Join(o.base, "a,b")
			if err := os.Mkdir(o.base, 0o711); err != nil {
				t.Fatal(err)
			}
			was := run(t, o, how)
			if how == "keep" {
				connects(t, was.dsn)
				if out, err := exec.Command("/bin/sh", "-c", was.stopCmd).CombinedOutput(); err != nil {
					t.Errorf("%s: %v: %s", was.stopCmd, err, out)
				}
			}
			was.end(t, o.base)
			host, _, _ := strings.Cut(strings.TrimPrefix(was.dsn, "host='"), "'")
			if _, err := os.Lstat(filepath.Dir(host)); !os.IsNotExist(err) {
				t.Errorf("%s stays: %v", filepath.Dir(host), err)
			}
		})
	}
}

// Not parallel: the folder that a relative name starts from is the process's.
func TestRelativeTemporaryFolder(t *testing.T) {
	o := place(t)
	t.Chdir(o.base)
	if err := os.Mkdir("relative", 0o711); err != nil {
		t.Fatal(err)
	}
	o.base = "relative"
	s := start(t, o)
	connects(t, s.DSN())
	if !filepath.IsAbs(s.socketDir) {
		t.Errorf("the socket is in %s", s.socketDir)
	}
}

// What root opens is out of the account's reach: the account can't rename, link or make anything outside its own part.
func TestAccountReachesItsPartOnlyAsRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root starts a server as another user")
	}
	o := place(t)
	s := start(t, o)
	p := s.process
	// The account can enter its own part, so what follows is refused by the folder alone.
	script := `cd "$1/server" && touch mine && rm mine || exit 9
		for name in log owner kept other; do
			ln -s /dev/null "$1/$name" && exit 1
			mv "$1/$name" "$1/server/taken" && exit 2
			echo taken >>"$1/$name" && exit 3
		done
		mv "$1/server" "$1/gone" && exit 4
		ls "$1" && exit 5
		exit 0`
	cmd := exec.Command("/bin/sh", "-c", script, "sh", p.folder.path)
	cmd.SysProcAttr = p.account.attributes()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the account wrote into root's part: %v\n%s", err, out)
	}
	for name, uid := range map[string]int{"": 0, ownerFile: 0, logFile: 0, serverDir: p.account.uid, "server/data": p.account.uid, "server/data/PG_VERSION": p.account.uid} {
		info, err := os.Lstat(filepath.Join(p.folder.path, name))
		if err != nil || !belongs(info, uid) {
			t.Errorf("%q does not belong to %d: %v", name, uid, err)
		}
	}
}

// A link in the way of a file that this process makes is not followed.
func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	victim := filepath.Join(t.TempDir(), "victim")
	for _, name := range []string{logFile, keptFile} {
		if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := newFolderIn(t.TempDir(), self())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, filepath.Join(f.path, name)); err != nil {
			t.Fatal(err)
		}
		file, err := f.create(name)
		if err == nil {
			t.Errorf("%s: a link was followed: %v", name, file.Close())
		}
		if err := f.keep(); name == keptFile && err == nil {
			t.Error("a link stands for the mark")
		}
		if err := f.remove(); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(victim); err != nil || string(text) != "precious" {
			t.Errorf("%s: the link's target holds %q, %v", name, text, err)
		}
	}
}

// Root reads the account's data to keep it as a template: a link there must not let a file of root's into the copy.
func TestCopyTakesNothingOfRootsAsRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root copies another user's files")
	}
	const other = 12345
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("root's"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(dir string) error{
		"hard link":        func(dir string) error { return os.Link(secret, filepath.Join(dir, "planted")) },
		"symbolic link":    func(dir string) error { return os.Symlink(secret, filepath.Join(dir, "planted")) },
		"link to a folder": func(dir string) error { return os.Symlink(filepath.Dir(secret), filepath.Join(dir, "planted")) },
	} {
		dir := t.TempDir()
		own := filepath.Join(dir, "PG_VERSION")
		if err := os.WriteFile(own, []byte("15\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(own, other, other); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		copied := func() error {
			_, err := copyTree(root, other, filepath.Join(t.TempDir(), "data"), account{})
			return err
		}
		if err := copied(); err != nil {
			t.Errorf("%s: before: %v", name, err)
		}
		if err := plant(dir); err != nil {
			t.Fatal(err)
		}
		if err := copied(); err == nil {
			t.Errorf("%s: copied", name)
		}
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A base or a cache that another user can move from under root's hands is none for root.
func TestRootStaysInItsOwnFoldersAsRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root cares about another user's folders")
	}
	a, err := serverAccount()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		uid, gid int
		mode     os.FileMode
		fine     bool
	}{
		"root's":               {0, 0, 0o755, true},
		"another user's":       {12345, 0, 0o755, false},
		"everybody's":          {0, 0, 0o777, false},
		"everybody's, sticky":  {0, 0, 0o777 | os.ModeSticky, true},
		"a group's":            {0, 12345, 0o775, false},
		"a group's to look at": {0, 12345, 0o755, true},
	} {
		base := place(t).base
		dir := filepath.Join(base, "above", "base")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		above := filepath.Dir(dir)
		if err := os.Chown(above, c.uid, c.gid); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(above, c.mode); err != nil {
			t.Fatal(err)
		}
		f, err := newFolderIn(dir, a)
		if (err == nil) != c.fine {
			t.Errorf("%s: newFolderIn = %v", name, err)
		}
		if err == nil {
			if err := f.remove(); err != nil {
				t.Error(err)
			}
		}
		if got := openCache(filepath.Join(dir, "no", "such"), "/bin", version{}, a); (got != nil) != c.fine {
			t.Errorf("%s: openCache = %v", name, got)
		}
	}
}

func TestServerEnvironment(t *testing.T) {
	t.Parallel()
	set := map[string]string{
		"PATH": "/bin:/opt", "HOME": "/root", "LD_LIBRARY_PATH": "/opt/lib", "AWS_SECRET_ACCESS_KEY": "s3cret", "PGPASSWORD": "s3cret", "PGDATA": "/d",
		"LD_PRELOAD": "/x.so", "TZ": "Europe/Berlin", "LC_MESSAGES": "de_DE", "TMPDIR": "/x", "SSH_AUTH_SOCK": "/s", "PG_TEST": "1", "LANG": "de_DE",
	}
	got := serverEnv(account{home: "/var/lib/postgresql"}, func(name string) string { return set[name] })
	want := []string{"LC_ALL=C", "LANG=C", "TZ=UTC", "PATH=/bin:/opt", "LD_LIBRARY_PATH=/opt/lib", "HOME=/var/lib/postgresql"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := serverEnv(account{}, func(string) string { return "" }); !slices.Contains(got, "PATH=/usr/local/bin:/usr/bin:/bin") {
		t.Errorf("without a PATH: %q", got)
	}
}

// The environment of the running server itself, where the system shows it. Not parallel: it changes this process's.
func TestServerIsNotGivenTheUsersSecrets(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/proc shows a process's environment on Linux only")
	}
	t.Setenv("QBENCH_TEST_SECRET", "s3cret")
	s := start(t, place(t))
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", s.process.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	if env := string(text); strings.Contains(env, "s3cret") || !strings.Contains(env, "TZ=UTC") {
		t.Errorf("the server's environment: %q", env)
	}
}

// A full disk is named and nothing stays. A small file system of its own needs root's rights.
func TestFullDiskAsRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("only root can make a file system")
	}
	cache := t.TempDir()
	for _, cached := range []bool{false, true} {
		for _, size := range []string{"1m", "30m"} {
			t.Run(fmt.Sprintf("%s, template %t", size, cached), func(t *testing.T) {
				o := place(t)
				if cached {
					o.CacheDir = cache
					if err := start(t, o).Stop(); err != nil {
						t.Fatal(err)
					}
				}
				small := filepath.Join(o.base, "small")
				if err := os.Mkdir(small, 0o711); err != nil {
					t.Fatal(err)
				}
				if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=711,size="+size, "qbench-test", small).CombinedOutput(); err != nil {
					t.Skipf("no file system can be made here: %v: %s", err, out)
				}
				defer func() {
					if out, err := exec.Command("umount", small).CombinedOutput(); err != nil {
						t.Errorf("%v: %s", err, out)
					}
				}()
				o.base = small
				s, err := Start(context.Background(), o)
				if err == nil {
					t.Fatalf("started: %v", s.Stop())
				}
				for _, want := range []string{"MB left, and a server needs at least", "name another folder in $TMPDIR"} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%v\nlacks %q", err, want)
					}
				}
				nothingIn(t, small)
				if found, err := filepath.Glob(filepath.Join(o.CacheDir, "clusters", "*")); cached && len(found) != 1 {
					t.Errorf("a sound template was thrown away: %v, %v", found, err)
				}
			})
		}
	}
}

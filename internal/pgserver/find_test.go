package pgserver

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseVersion(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line         string
		short        string // empty: an error
		major, minor int
	}{
		{"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", "15.18", 15, 18},
		{"postgres (PostgreSQL) 14.0", "14.0", 14, 0},
		{"postgres (PostgreSQL) 16.4 (Homebrew)", "16.4", 16, 4},
		{"postgres (PostgreSQL) 17.2 (Postgres.app)", "17.2", 17, 2},
		{"postgres (PostgreSQL) 18.1 - Percona Server for PostgreSQL 18.1.1", "18.1", 18, 1},
		{"postgres (PostgreSQL) 9.6.24", "9.6.24", 9, 6},
		{"postgres (PostgreSQL) 19devel", "19devel", 19, -1},
		{"postgres (PostgreSQL) 18beta1 (Debian 18~beta1-1.pgdg120+1)", "18beta1", 18, -1},
		{"postgres (PostgreSQL) 18rc1", "18rc1", 18, -1},
		{"", "", 0, 0},
		{"postgres (PostgreSQL)", "", 0, 0},
		{"postgres (PostgreSQL) fifteen", "", 0, 0},
		{"postgres (PostgreSQL) 15", "", 0, 0},
		{"postgres (PostgreSQL) 15.", "", 0, 0},
		{"postgres (PostgreSQL) 99999999999999999999.1", "", 0, 0},
		{"postgres (PostgreSQL) 15.99999999999999999999", "", 0, 0},
		{"pg_config (PostgreSQL) 15.18", "", 0, 0},
		{"psql (PostgreSQL) 15.18", "", 0, 0},
	}
	for _, test := range tests {
		v, err := parseVersion(test.line)
		if (err != nil) != (test.short == "") || v.short != test.short || v.major != test.major || err == nil && v.minor != test.minor {
			t.Errorf("parseVersion(%q) = %+v, %v", test.line, v, err)
		}
	}
}

func FuzzParseVersion(f *testing.F) {
	f.Add("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)")
	f.Add("postgres (PostgreSQL) 19devel")
	f.Fuzz(func(t *testing.T, line string) {
		if v, err := parseVersion(line); err == nil && !strings.HasPrefix(line, "postgres (PostgreSQL) "+v.short) {
			t.Errorf("parseVersion(%q) = %+v", line, v)
		}
	})
}

func TestNewerIsAStrictOrder(t *testing.T) {
	t.Parallel()
	any := rapid.Custom(func(t *rapid.T) version {
		return version{major: rapid.IntRange(9, 19).Draw(t, "major"), minor: rapid.IntRange(-1, 3).Draw(t, "minor")}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := any.Draw(t, "a"), any.Draw(t, "b"), any.Draw(t, "c")
		if a.newer(b) && b.newer(a) || a.newer(b) && b.newer(c) && !a.newer(c) || !a.newer(b) && !b.newer(a) && a != b {
			t.Errorf("%+v, %+v, %+v", a, b, c)
		}
	})
}

// machine describes a computer: what is in which folder, as folder → the version line of the postgres in it.
type machine struct {
	vars     map[string]string
	path     string // the folder of the postgres in the PATH
	pgConfig string
	folders  map[string]string
	noInitdb string
}

func (m machine) finder() finder {
	return finder{
		getenv: func(name string) string { return m.vars[name] },
		lookPath: func(name string) (string, error) {
			if m.path == "" {
				return "", errors.New("not found")
			}
			return filepath.Join(m.path, name), nil
		},
		output: func(name string, args ...string) (string, error) {
			if name == "pg_config" {
				if m.pgConfig == "" {
					return "", errors.New("not found")
				}
				return m.pgConfig, nil
			}
			return m.folders[filepath.Dir(name)], nil
		},
		exists: func(path string) bool {
			dir := filepath.Dir(path)
			return m.folders[dir] != "" && (filepath.Base(path) != "initdb" || dir != m.noInitdb)
		},
		glob: func(pattern string) (found []string, err error) {
			for dir := range m.folders {
				if ok, err := filepath.Match(pattern, dir); err != nil {
					return nil, err
				} else if ok {
					found = append(found, dir)
				}
			}
			return found, nil
		},
		hint: "install it",
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	pg := func(v string) string { return "postgres (PostgreSQL) " + v }
	const debian14, debian15, debian9, source = "/usr/lib/postgresql/14/bin", "/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/9.6/bin", "/usr/local/pgsql/bin"
	tests := []struct {
		name     string
		machine  machine
		explicit string
		want     string
		says     []string // of the error, where there is one
	}{
		{name: "nothing", says: []string{"no PostgreSQL server binaries found", "install it", "$QBENCH_PG_BINDIR", "--dsn"}},
		{name: "the newest of the usual places", machine: machine{folders: map[string]string{debian14: pg("14.9"), debian15: pg("15.2"), debian9: pg("9.6.24")}}, want: debian15},
		{name: "a release before a preview of it", machine: machine{folders: map[string]string{debian15: pg("18beta1"), source: pg("18.0")}}, want: source},
		{name: "the PATH first", machine: machine{path: debian14, folders: map[string]string{debian14: pg("14.9"), debian15: pg("15.2")}}, want: debian14},
		{name: "then pg_config", machine: machine{pgConfig: source, folders: map[string]string{source: pg("14.9"), debian15: pg("15.2")}}, want: source},
		{name: "pg_config without a server", machine: machine{pgConfig: "/usr/bin", folders: map[string]string{debian15: pg("15.2")}}, want: debian15},
		{name: "one in the PATH that is too old", machine: machine{path: source, folders: map[string]string{source: pg("13.1"), debian15: pg("15.2")}}, want: debian15},
		{name: "only too old", machine: machine{folders: map[string]string{debian9: pg("9.6.24")}}, says: []string{debian9 + " has version 9.6.24, which is too old", "--dsn"}},
		{name: "newer than known", machine: machine{folders: map[string]string{debian15: pg("21.0")}}, want: debian15},
		{name: "no initdb", machine: machine{noInitdb: debian15, folders: map[string]string{debian15: pg("15.2")}}, says: []string{"no PostgreSQL server binaries found"}},
		{name: "named", explicit: debian14, machine: machine{path: debian15, folders: map[string]string{debian14: pg("14.9"), debian15: pg("15.2")}}, want: debian14},
		{name: "named and absent", explicit: "/opt/x", machine: machine{folders: map[string]string{debian15: pg("15.2")}}, says: []string{"/opt/x has no initdb and postgres"}},
		{name: "named and too old", explicit: debian9, machine: machine{folders: map[string]string{debian9: pg("9.6.24"), debian15: pg("15.2")}}, says: []string{"too old"}},
		{name: "named by the variable", machine: machine{vars: map[string]string{BinDirVar: source}, path: debian15, folders: map[string]string{source: pg("14.9"), debian15: pg("15.2")}}, want: source},
		{name: "named wins over the variable", explicit: debian15, machine: machine{vars: map[string]string{BinDirVar: source}, folders: map[string]string{source: pg("14.9"), debian15: pg("15.2")}}, want: debian15},
		{name: "by the variable and absent", machine: machine{vars: map[string]string{BinDirVar: "/opt/x"}, folders: map[string]string{debian15: pg("15.2")}}, says: []string{"/opt/x", "$QBENCH_PG_BINDIR"}},
		{name: "not a version", explicit: source, machine: machine{folders: map[string]string{source: "EnterpriseDB"}}, says: []string{`"EnterpriseDB"`}},
	}
	for _, test := range tests {
		got, _, err := test.machine.finder().find(test.explicit)
		if got != test.want || (err != nil) != (test.want == "") || err != nil && !errors.Is(err, ErrNoBinaries) {
			t.Errorf("%s: find = %q, %v; want %q", test.name, got, err, test.want)
		}
		for _, part := range test.says {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q lacks %q", test.name, err, part)
			}
		}
	}
}

func TestPlacesAreWellFormed(t *testing.T) {
	t.Parallel()
	for _, pattern := range places {
		if _, err := filepath.Match(pattern, ""); err != nil || !strings.HasPrefix(pattern, "/") {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

// The files are the first lines of what these systems ship, cut down to the names.
func TestPackageFor(t *testing.T) {
	t.Parallel()
	tests := []struct{ file, want string }{
		{"debian", "apt-get install -y postgresql"},
		{"ubuntu", "apt-get install -y postgresql"},
		{"mint", "apt-get install -y postgresql"},
		{"fedora", "dnf install -y postgresql-server postgresql-contrib"},
		{"rocky", "dnf install -y postgresql-server postgresql-contrib"},
		{"amazon", "dnf install -y postgresql-server postgresql-contrib"},
		{"alpine", "apk add postgresql"},
		{"arch", "pacman -S --noconfirm postgresql"},
		{"manjaro", "pacman -S --noconfirm postgresql"},
		{"opensuse", "zypper --non-interactive install postgresql-server"},
		{"unknown", ""},
		{"empty", ""},
	}
	for _, test := range tests {
		text, err := os.ReadFile(filepath.Join("testdata", "os-release", test.file))
		if err != nil {
			t.Error(err)
			continue
		}
		p, ok := packageFor(string(text))
		if got := strings.Join(p.Install, " "); got != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %t; want %q", test.file, got, ok, test.want)
		}
		if h := hint(p, ok); !strings.Contains(h, "install") || !strings.Contains(h, test.want) {
			t.Errorf("%s: hint %q", test.file, h)
		}
	}
}

func TestSharedBuffers(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	for memory, want := range map[int64]int64{0: 0, 256 * mb: 0, 512 * mb: 0, 1000 * mb: 250, 4096 * mb: 1024, 64 << 30: 1024} {
		if got := sharedBuffersMB(memory); got != want {
			t.Errorf("sharedBuffersMB(%d MB) = %d, want %d", memory/mb, got, want)
		}
	}
}

func TestSettingShape(t *testing.T) {
	t.Parallel()
	for setting, ok := range map[string]bool{
		"work_mem=64MB": true, "search_path=": true, "auto_explain.log_min_duration=1s": true, "a=b=c": true, "archive_command=cp %p /x": true,
		"": false, "=1": false, "work_mem": false, "work mem=1": false, "work-mem=1": false, "a.=1": false, "a=1\nb=2": false, "a=\x00": false, "1a=1": false,
		"Port=1": false, "unix_socket_directories=/tmp": false, "data_directory=/": false,
	} {
		if err := checkSettings([]string{setting}); (err == nil) != ok {
			t.Errorf("checkSettings(%q) = %v", setting, err)
		}
	}
}

package pgserver

import (
	"bufio"
	"os"
	"runtime"
	"strings"
)

// Package is what a system's package manager calls the PostgreSQL server.
type Package struct {
	// Refresh fetches the manager's list of packages; nil where installing does that by itself.
	Refresh []string
	// Install is the command that installs the server, as the administrator.
	Install []string
	// AsUser says that the manager refuses the administrator (Homebrew).
	AsUser bool
}

// packages is keyed by the ID of an os-release file; systems that only derive from one are found by ID_LIKE.
var packages = map[string]Package{
	"debian": {Refresh: []string{"apt-get", "update"}, Install: []string{"apt-get", "install", "-y", "postgresql"}},
	"fedora": {Install: []string{"dnf", "install", "-y", "postgresql-server", "postgresql-contrib"}},
	"alpine": {Install: []string{"apk", "add", "postgresql"}},
	"arch":   {Install: []string{"pacman", "-S", "--noconfirm", "postgresql"}},
	"suse":   {Install: []string{"zypper", "--non-interactive", "install", "postgresql-server"}},
}

var brew = Package{Install: []string{"brew", "install", "postgresql@17"}, AsUser: true}

// SystemPackage says how this system's package manager installs the server; false where it isn't known.
func SystemPackage() (Package, bool) {
	if runtime.GOOS == "darwin" {
		return brew, true
	}
	for _, path := range []string{"/etc/os-release", "/usr/lib/os-release"} {
		if text, err := os.ReadFile(path); err == nil {
			return packageFor(string(text))
		}
	}
	return Package{}, false
}

// packageFor chooses by the text of an os-release file (freedesktop.org's os-release(5)): the system's own ID first, then
// the ones it says it is like, closest first.
func packageFor(osRelease string) (Package, bool) {
	fields := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(osRelease))
	for lines.Scan() {
		if key, value, ok := strings.Cut(strings.TrimSpace(lines.Text()), "="); ok {
			fields[key] = strings.Trim(value, `"'`)
		}
	}
	for _, id := range append([]string{fields["ID"]}, strings.Fields(fields["ID_LIKE"])...) {
		if p, ok := packages[aliases(id)]; ok {
			return p, true
		}
	}
	return Package{}, false
}

// aliases folds the IDs of systems that say of themselves to be like no other, or like one under another name.
func aliases(id string) string {
	switch {
	case id == "ubuntu":
		return "debian"
	case id == "rhel" || id == "centos" || id == "amzn":
		return "fedora"
	case id == "archlinux":
		return "arch"
	case id == "sles" || strings.HasPrefix(id, "opensuse"):
		return "suse"
	}
	return id
}

// hint is the part of an error that says how the server is installed here.
func hint(p Package, known bool) string {
	if !known {
		return "install your system's package of the PostgreSQL server"
	}
	return `install them with "` + strings.Join(p.Install, " ") + `"`
}

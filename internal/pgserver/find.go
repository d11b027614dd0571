package pgserver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoBinaries is wrapped by the error of [Find] and [Start] when no usable server binaries are on this machine.
var ErrNoBinaries = errors.New("no PostgreSQL server binaries found")

// BinDirVar is the environment variable that names the folder of the server binaries.
const BinDirVar = "QBENCH_PG_BINDIR"

// places are where packagers put the server's binaries, as globs. Debian, SUSE and Gentoo; Alpine; PGDG for Red Hat;
// a build from source; Homebrew on Apple silicon, on Intel and on Linux; Postgres.app; EDB's installer; MacPorts; Nix.
var places = []string{
	"/usr/lib/postgresql/*/bin", "/usr/lib/postgresql*/bin", "/usr/lib64/postgresql*/bin",
	"/usr/libexec/postgresql*",
	"/usr/pgsql-*/bin",
	"/usr/local/pgsql/bin",
	"/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin", "/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
	"/Library/PostgreSQL/*/bin", "/opt/PostgreSQL/*/bin",
	"/opt/local/lib/postgresql*/bin",
	"/run/current-system/sw/bin", "/nix/var/nix/profiles/default/bin",
}

// Find returns the folder that holds initdb and postgres of version 14 or newer. An explicit folder, or else the one in
// $QBENCH_PG_BINDIR, is taken or refused but never replaced by another. Otherwise the first usable one counts among:
// the PATH, what pg_config says, and the newest version in the places where packagers put them. The error
// wraps [ErrNoBinaries] and says what to install.
func Find(explicit string) (bindir string, err error) {
	bindir, _, err = thisMachine().find(explicit)
	return bindir, err
}

// finder holds what the search reads of the machine, so that a test can describe another machine.
type finder struct {
	getenv   func(string) string
	lookPath func(string) (string, error)
	output   func(name string, args ...string) (string, error)
	exists   func(path string) bool
	glob     func(pattern string) ([]string, error)
	hint     string
}

func thisMachine() finder {
	return finder{getenv: os.Getenv, lookPath: lookReal, output: output, exists: executable, glob: filepath.Glob, hint: hint(SystemPackage())}
}

func (f finder) find(explicit string) (string, version, error) {
	if explicit == "" {
		explicit = f.getenv(BinDirVar)
	}
	if explicit != "" {
		v, err := f.probe(explicit)
		if err != nil {
			return "", version{}, fmt.Errorf("%w in the folder that was named: %w; name another one, or unset $%s to search the usual places", ErrNoBinaries, err, BinDirVar)
		}
		return explicit, v, nil
	}
	var unusable []string
	for _, dir := range f.named() {
		v, err := f.probe(dir)
		if err == nil {
			return dir, v, nil
		}
		unusable = appendUnusable(unusable, err)
	}
	var best string
	var newest version
	for _, dir := range f.usual() {
		v, err := f.probe(dir)
		if err != nil {
			unusable = appendUnusable(unusable, err)
			continue
		}
		if best == "" || v.newer(newest) {
			best, newest = dir, v
		}
	}
	if best != "" {
		return best, newest, nil
	}
	found := ""
	if len(unusable) > 0 {
		found = " (" + strings.Join(unusable, "; ") + ")"
	}
	return "", version{}, fmt.Errorf("%w%s: initdb and postgres of version %d or newer are needed; %s, or name their folder in $%s, or name a running server with --dsn",
		ErrNoBinaries, found, oldest, f.hint, BinDirVar)
}

// named are the folders that the user's environment points at, the nearest first.
func (f finder) named() []string {
	var dirs []string
	if p, err := f.lookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(p))
	}
	if out, err := f.output("pg_config", "--bindir"); err == nil {
		dirs = append(dirs, out)
	}
	return dirs
}

func (f finder) usual() []string {
	var dirs []string
	for _, pattern := range places {
		// Glob fails only for a malformed pattern, and these are constants that a test matches.
		found, _ := f.glob(pattern)
		dirs = append(dirs, found...)
	}
	return dirs
}

// errNothingThere says that a folder holds no server; unlike one that is too old it is not worth a word in an error.
var errNothingThere = errors.New("has no initdb and postgres")

func (f finder) probe(dir string) (version, error) {
	postgres := filepath.Join(dir, "postgres")
	if !f.exists(postgres) || !f.exists(filepath.Join(dir, "initdb")) {
		return version{}, fmt.Errorf("%s %w", dir, errNothingThere)
	}
	line, err := f.output(postgres, "--version")
	if err != nil {
		return version{}, fmt.Errorf("%s --version: %w", postgres, err)
	}
	v, err := parseVersion(line)
	if err != nil {
		return version{}, fmt.Errorf("%s: %w", dir, err)
	}
	if v.major < oldest {
		return version{}, fmt.Errorf("%s has version %s, which is too old", dir, v.short)
	}
	return v, nil
}

func appendUnusable(list []string, err error) []string {
	if errors.Is(err, errNothingThere) {
		return list
	}
	return append(list, err.Error())
}

// lookReal looks in the PATH and follows links: they mostly point into a folder where psql and pg_ctl are as well.
func lookReal(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	return strings.TrimSpace(string(out)), err
}

func executable(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil
}

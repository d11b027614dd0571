//go:build linux || darwin

package pgserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// initdbOptions make every cluster the same on all systems. C compares bytes, which is what a queue's keys need, and
// unlike C.UTF-8 exists everywhere. Trust is enough behind a socket in a folder of mode 0700. The
// data is thrown away, so initdb doesn't wait for the disk; the server, which is measured, does.
var initdbOptions = []string{"--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"}

// template is a freshly initialised cluster in the cache, kept for copying. There is one for each folder of
// binaries; a manifest beside the data says which version made it and what a whole copy adds up to.
//
// No lock is needed. A template appears by a rename, complete; whoever comes second throws its own away. A reader
// that finds it damaged, or loses it to a clean-up while reading, makes a cluster from scratch.
type template struct {
	dir     string
	version string // the whole version line: another build of the same version makes its own
}

type manifest struct {
	Version  string   `json:"version"`
	Options  []string `json:"initdb"`
	Checksum uint32   `json:"crc32c"`
}

const manifestFile = "manifest.json"

// newTemplate names the template for the binaries in bindir, whether it exists or not.
func newTemplate(cacheDir, bindir string, v version) *template {
	key := sha256.Sum256([]byte(bindir))
	return &template{dir: filepath.Join(cacheDir, "clusters", hex.EncodeToString(key[:6])), version: v.full}
}

// openCache returns the template in a cache folder, by default the user's; nil where there is no folder to trust. Root with the
// home of another user (sudo) leaves that user's cache alone: its owner could move what root makes there, and could
// not write there later.
func openCache(cacheDir, bindir string, v version, a account) *template {
	if cacheDir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil
		}
		cacheDir = filepath.Join(user, "qbench")
	}
	if os.Geteuid() == 0 && rootsOwn(firstFolder(cacheDir)) != nil {
		return nil
	}
	return newTemplate(cacheDir, bindir, v)
}

// firstFolder is the longest part of a path that exists, with its links resolved.
func firstFolder(path string) string {
	for {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
		parent := filepath.Dir(path)
		if parent == path {
			return path
		}
		path = parent
	}
}

// errNoTemplate says that there is no template, or none of this version, to copy.
var errNoTemplate = errors.New("no template")

// copyTo copies the template to dst. A template that turns out to be damaged is removed; dst is removed on any error.
func (t *template) copyTo(dst string, a account) error {
	root, err := os.OpenRoot(t.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return errNoTemplate
	}
	if err == nil {
		err = t.copyFrom(root, dst, a)
		err = errors.Join(err, root.Close())
	}
	var mine *targetError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNoTemplate):
		// The binaries were upgraded in place.
		return errors.Join(err, t.discard())
	case errors.As(err, &mine):
		return errors.Join(err, os.RemoveAll(dst))
	}
	return errors.Join(fmt.Errorf("template %s: %w", t.dir, err), os.RemoveAll(dst), t.discard())
}

func (t *template) copyFrom(root *os.Root, dst string, a account) error {
	text, err := readFile(root, manifestFile, os.Geteuid())
	if err != nil {
		return err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	if !m.matches(t.version) {
		return errNoTemplate
	}
	data, err := root.OpenRoot("data")
	if err != nil {
		return err
	}
	sum, err := copyTree(data, os.Geteuid(), dst, a)
	if err := errors.Join(err, data.Close()); err != nil {
		return err
	}
	if sum != m.Checksum {
		return errors.New("its checksum is wrong")
	}
	return nil
}

func (m manifest) matches(version string) bool {
	return m.Version == version && slices.Equal(m.Options, initdbOptions)
}

// save makes the template from a cluster that was initialised and never started, by the user with id owner. An existing one
// stays.
func (t *template) save(src *os.Root, owner int) (err error) {
	parent := filepath.Dir(t.dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	aside, err := os.MkdirTemp(parent, ".new-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(aside)) }()
	sum, err := copyTree(src, owner, filepath.Join(aside, "data"), account{})
	if err != nil {
		return err
	}
	text, err := json.Marshal(manifest{Version: t.version, Options: initdbOptions, Checksum: sum})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(aside, manifestFile), text, 0o600); err != nil {
		return err
	}
	if err := os.Rename(aside, t.dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// discard takes the template out of the way by a rename, so that nobody sees half of it, and removes it.
func (t *template) discard() error {
	aside, err := os.MkdirTemp(filepath.Dir(t.dir), ".old-")
	if err != nil {
		return err
	}
	err = os.Rename(t.dir, filepath.Join(aside, "template"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(aside))
}

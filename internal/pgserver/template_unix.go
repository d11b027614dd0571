//go:build linux || darwin

package pgserver

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
func newTemplate(cacheDir, bindir string, v version) template {
	key := sha256.Sum256([]byte(bindir))
	return template{dir: filepath.Join(cacheDir, "clusters", hex.EncodeToString(key[:6])), version: v.full}
}

// errNoTemplate says that there is no template, or none of this version, to copy.
var errNoTemplate = errors.New("no template")

// copyTo copies the template to dst. A template that turns out to be damaged is removed; dst is removed on any error.
func (t template) copyTo(dst string, a account) error {
	if _, err := os.Lstat(t.dir); errors.Is(err, fs.ErrNotExist) {
		return errNoTemplate
	}
	var m manifest
	text, err := os.ReadFile(filepath.Join(t.dir, manifestFile))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil && !m.matches(t.version) {
		// The binaries were upgraded in place.
		return errors.Join(errNoTemplate, t.discard())
	}
	var sum uint32
	if err == nil {
		sum, err = copyTree(filepath.Join(t.dir, "data"), dst, a)
	}
	if err == nil && sum != m.Checksum {
		err = errors.New("its checksum is wrong")
	}
	if err != nil {
		return errors.Join(fmt.Errorf("template %s: %w", t.dir, err), os.RemoveAll(dst), t.discard())
	}
	return nil
}

func (m manifest) matches(version string) bool {
	if m.Version != version || len(m.Options) != len(initdbOptions) {
		return false
	}
	for i, o := range initdbOptions {
		if m.Options[i] != o {
			return false
		}
	}
	return true
}

// save makes the template from a cluster that was initialised and never started. An existing one stays.
func (t template) save(src string) (err error) {
	parent := filepath.Dir(t.dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	aside, err := os.MkdirTemp(parent, ".new-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(aside)) }()
	sum, err := copyTree(src, filepath.Join(aside, "data"), account{})
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
func (t template) discard() error {
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

// copyTree copies a folder of files and folders, gives the copy to the account when that is another user, and returns a
// checksum (CRC-32C) over all names and contents. The top folder changes hands last: until then no other user
// can enter the tree and bend a path below root's hands.
func copyTree(src, dst string, a account) (uint32, error) {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	err := filepath.WalkDir(src, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		target := filepath.Join(dst, name)
		size := int64(-1)
		switch {
		case entry.IsDir():
			err = os.Mkdir(target, 0o700)
		case entry.Type().IsRegular():
			size, err = copyFile(path, target, sum)
		default:
			err = fmt.Errorf("%s is neither a file nor a folder", path)
		}
		if err != nil {
			return err
		}
		if a.switched && name != "." {
			if err := os.Lchown(target, a.uid, a.gid); err != nil {
				return err
			}
		}
		// The length closes the contents, so that a byte can't move from one file's end to the next one's name unseen.
		sum.Write(binary.BigEndian.AppendUint64([]byte(name), uint64(size)))
		return nil
	})
	if err == nil && a.switched {
		err = os.Lchown(dst, a.uid, a.gid)
	}
	return sum.Sum32(), err
}

func copyFile(src, dst string, also io.Writer) (int64, error) {
	in, err := os.Open(src)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.MultiWriter(out, also), in)
	return n, errors.Join(err, out.Close())
}

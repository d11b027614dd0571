//go:build linux || darwin

package pgserver

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ownerText is what qbench writes into a folder's owner file. It names the folder, so that a copy or a renamed folder, made
// to keep it, is no longer taken for a deserted one.
func ownerText(name string) string { return "qbench disposable server 1\nfolder " + name + "\n" }

// createOwner makes a folder's owner file and locks it. A lock rather than a process id: ids are used again, and mean
// nothing in another container that shares the temporary folder.
func createOwner(path, name string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = file.WriteString(ownerText(name))
	if err == nil {
		err = lock(file)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// lock locks a file without waiting.
func lock(file *os.File) error {
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	return nil
}

// sweep removes the folders in base that a qbench of this user made, whose owners are gone, and that are not kept. It is a
// courtesy of the next start: a folder that may be another's, or that can't be removed, is left alone.
func sweep(base string, a account) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), folderPrefix) {
			sweepFolder(filepath.Join(base, e.Name()), a)
		}
	}
}

// sweepFolder works on a handle of the folder, so nothing else can take the folder's place between the look and the removal.
func sweepFolder(path string, a account) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return
	}
	defer root.Close()
	if !ownFolder(root) {
		return
	}
	owner, err := openOwner(root, filepath.Base(path))
	if err != nil {
		return
	}
	defer owner.Close()
	// Looked at under the lock: the owner may have marked the folder as kept just before it ended.
	if !deserted(root, a) {
		return
	}
	for _, name := range []string{serverDir, logFile, ownerFile} {
		if root.RemoveAll(name) != nil {
			return
		}
	}
	_ = syscall.Rmdir(path)
}

// ownFolder says whether this user made the folder and no other user can write into it.
func ownFolder(root *os.Root) bool {
	info, err := root.Stat(".")
	return err == nil && info.Mode().Perm()&^0o050 == 0o700 && belongs(info, os.Geteuid())
}

// openOwner opens and locks the owner file of a folder, if it is one that this user's qbench wrote for that folder.
func openOwner(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(ownerFile, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := checkOwner(root, file, name); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if err := lock(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// checkOwner fails for what qbench did not write. The handle follows a link within the folder, so the file that is open has to be
// the one in the folder itself.
func checkOwner(root *os.Root, file *os.File, name string) error {
	there, err := root.Lstat(ownerFile)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !there.Mode().IsRegular() || !os.SameFile(there, info) || info.Mode().Perm() != 0o600 || !belongs(info, os.Geteuid()) {
		return fmt.Errorf("%s is not a file of this user's qbench", file.Name())
	}
	want := ownerText(name)
	text, err := io.ReadAll(io.LimitReader(file, int64(len(want))+1))
	if err != nil {
		return err
	}
	if string(text) != want {
		return fmt.Errorf("%s has contents that qbench does not write", file.Name())
	}
	return nil
}

// deserted says whether a folder holds nothing but what qbench puts there, and no mark that it is kept.
func deserted(root *os.Root, a account) bool {
	top, ok := names(root)
	if !ok || !subset(top, ownerFile, logFile, serverDir) {
		return false
	}
	if !slices.Contains(top, serverDir) {
		return true
	}
	info, err := root.Lstat(serverDir)
	if err != nil || !info.IsDir() || !belongs(info, os.Geteuid()) && !belongs(info, a.uid) {
		return false
	}
	part, err := root.OpenRoot(serverDir)
	if err != nil {
		return false
	}
	defer part.Close()
	inside, ok := names(part)
	return ok && subset(inside, dataDir, socketFile, socketFile+".lock")
}

// names lists a folder.
func names(root *os.Root) ([]string, bool) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, false
	}
	defer dir.Close()
	list, err := dir.Readdirnames(-1)
	return list, err == nil
}

func subset(list []string, of ...string) bool {
	return !slices.ContainsFunc(list, func(name string) bool { return !slices.Contains(of, name) })
}

// belongs says whether a file is a user's.
func belongs(info os.FileInfo, uid int) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(uid)
}

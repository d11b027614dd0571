//go:build linux || darwin

package pgserver

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"qbench/internal/shell"
)

// account is the operating system's user that the server runs as.
type account struct {
	name     string
	uid, gid int
	home     string // "" where it isn't known
	// switched says that this is another user than the one this process runs as.
	switched bool
}

// serverAccount is the current user, or an unprivileged one for root, as which PostgreSQL refuses to run: postgres,
// which its packages create, or else nobody.
func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: os.Geteuid(), gid: os.Getegid(), home: os.Getenv("HOME")}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		// On Unix both are decimal numbers, as os/user documents; nobody's may be written negative on macOS.
		uid, uidErr := strconv.ParseInt(u.Uid, 10, 64)
		gid, gidErr := strconv.ParseInt(u.Gid, 10, 64)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return account{name: name, uid: int(uid), gid: int(gid), home: u.HomeDir, switched: true}, nil
		}
	}
	return account{}, errors.New("PostgreSQL refuses to run as root, and there is neither a user postgres nor a user nobody; create one, or start qbench as another user")
}

// attributes start a child as the account, in a session of its own: a terminal's Ctrl-C goes to the whole foreground
// process group, and the server has to outlive it until the run is reported and audited.
func (a account) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if a.switched {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attr
}

// reaches says whether the account may pass through dir and all folders above it.
func (a account) reaches(dir string) bool {
	if !a.switched {
		return true
	}
	for {
		info, err := os.Stat(dir)
		if err != nil {
			return false
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return false
		}
		pass := os.FileMode(0o001)
		switch {
		case int(stat.Uid) == a.uid:
			pass = 0o100
		case int(stat.Gid) == a.gid:
			pass = 0o010
		}
		if info.Mode()&pass == 0 {
			return false
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return true
		}
		dir = parent
	}
}

// asAccount puts in front of a command what root needs to run it as the account.
func (a account) asAccount(words ...string) string {
	if !a.switched {
		return shell.Join(words...)
	}
	prefix := []string{"runuser", "-u", a.name, "--"}
	if runtime.GOOS == "darwin" {
		prefix = []string{"sudo", "-u", a.name}
	}
	return shell.Join(append(prefix, words...)...)
}

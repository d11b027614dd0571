// Package pgserver starts a disposable PostgreSQL from binaries that are already on this machine, for runs that
// name no server of their own.
//
// A server lives in one folder below the temporary folder (named qbench-…), listens on a Unix socket in that
// folder and nowhere else, and is thrown away with it. Where the socket's path would be too long for the kernel, or hold a comma,
// which libpq takes for the end of a host's name, the socket alone is in a second such folder below /tmp. Three things
// see to it that the folders go, each covering what the one before cannot:
//
//   - [Server.Stop], for every orderly end: success, error, a signal that was caught;
//   - a guard, a tiny shell process in a session of its own that holds the reading end of a pipe. However this
//     process ends (panic, SIGKILL, out of memory), the kernel closes the writing end, and the guard stops the server and
//     removes the folder. Linux's parent-death signal was rejected: it is bound to the thread that forked, exists on Linux
//     only, and leaves the folder behind;
//   - a sweep at every start, for a folder that outlived even its guard (a power cut): a folder that this user's qbench
//     made, and whose owner no longer holds its lock, is removed, unless it is marked as kept. A server that should still be running in it stops by itself, because PostgreSQL shuts
//     down when its lock file is gone.
//
// Creating a cluster takes longer than starting one, so a template is kept in the user's cache folder and copied.
package pgserver

import (
	"path/filepath"
	"strings"
	"sync"

	"qbench/internal/shell"
)

// Options says which server is wanted. The zero value is a server for a hundred connections from whatever binaries are found.
type Options struct {
	// BinDir is the folder of initdb and postgres; empty means wherever [Find] finds them.
	BinDir string
	// MaxClients is the number of connections wanted; max_connections is set a little above it, and never below the
	// server's own default.
	MaxClients int
	// LocksPerClient is how many relations (tables, partitions, indexes) one client may have locked at a time. Above
	// the server's default of 64 it raises max_locks_per_transaction; at 0 that is left alone, because since PostgreSQL 18
	// it also decides how many locks take the fast path, and so changes what is measured.
	LocksPerClient int
	// Settings are the user's own, as name=value; they win over this package's.
	Settings []string
	// Keep leaves the server running after this process has ended; see [Server.HowToStop].
	Keep bool
	// CacheDir holds the templates; empty means qbench's folder in [os.UserCacheDir].
	CacheDir string

	// base replaces the system's temporary folder, for tests.
	base string
}

// Server is a running disposable PostgreSQL. Its methods may be called from several goroutines.
type Server struct {
	bindir    string
	socketDir string
	version   string
	changed   []string
	keep      bool
	stopCmd   string

	process *process
	stop    sync.Once
	stopErr error
}

// socketPort only names the socket file; nothing listens on TCP, so it collides with no other server.
const socketPort = "5432"

// DSN names the server in libpq's key=value form, which pgx and psql read alike.
func (s *Server) DSN() string { return dsn(s.socketDir) }

func dsn(socketDir string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(socketDir)
	return "host='" + quoted + "' port=" + socketPort + " user=postgres dbname=postgres sslmode=disable"
}

// Version is the server's version without its packager's additions, such as "15.18".
func (s *Server) Version() string { return s.version }

// ChangedSettings lists what was set for this server and differs from PostgreSQL's built-in default, as name=value
// with the unit the server itself prints, sorted by name. Where it listens is left out: that changes no measurement.
func (s *Server) ChangedSettings() []string { return append([]string(nil), s.changed...) }

// HowToConnect is the command line that opens psql on this server.
func (s *Server) HowToConnect() string {
	psql := filepath.Join(s.bindir, "psql")
	if !executable(psql) {
		psql = "psql" // packaged apart from the server
	}
	return shell.Join(psql, "-h", s.socketDir, "-p", socketPort, "-U", "postgres", "-d", "postgres")
}

// HowToStop is the command line that stops this server, if it still runs, and removes its folders.
func (s *Server) HowToStop() string { return s.stopCmd }

// Log is the tail of the server's log, for error messages. It stays available after Stop.
func (s *Server) Log() string { return s.process.log() }

// Stop ends the server at once, without a checkpoint since the data is thrown away, and removes its folder. Further
// calls return the first one's result. A server started with Keep is left as it is.
func (s *Server) Stop() error {
	s.stop.Do(func() {
		if !s.keep {
			s.stopErr = s.process.close()
		}
	})
	return s.stopErr
}

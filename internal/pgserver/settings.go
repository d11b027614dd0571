package pgserver

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const (
	defaultConnections = 100 // the server's own default of max_connections
	defaultLocks       = 64  // the server's own default of max_locks_per_transaction
	// ownConnections is what is left for the audit, the probe, the server's superuser reserve (3) and a curious psql.
	ownConnections = 16
)

var settingShape = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?=[^\x00\r\n]*$`)

// fixed are the settings that decide where the server is; changed, this package would lose it.
var fixed = map[string]bool{"data_directory": true, "port": true, "unix_socket_directories": true, "config_file": true, "hba_file": true}

// checkSettings refuses what isn't name=value or would move the server. Whether the name and the value mean anything is
// the server's to say, and its answer is passed on by [Start].
func checkSettings(settings []string) error {
	for _, s := range settings {
		if !settingShape.MatchString(s) {
			return fmt.Errorf("server setting %q is not of the form name=value, with letters, digits and underscores in the name", s)
		}
		if name := settingName(s); fixed[name] {
			return fmt.Errorf("server setting %s cannot be changed: it says where the disposable server is", name)
		}
	}
	return nil
}

// settingName is the part before the equals sign, as the server compares it: without regard to case.
func settingName(setting string) string {
	name, _, _ := strings.Cut(setting, "=")
	return strings.ToLower(name)
}

// serverSettings are the command line's settings: ours, then the user's, so that the later one wins as the server rules.
//
// The list is short on purpose: each entry moves the numbers away from those of a server as installed. What would buy
// speed with durability (fsync, synchronous_commit, full_page_writes) or steadiness with realism (autovacuum) stays as it is.
func serverSettings(o Options, memory int64) []string {
	connections := max(defaultConnections, o.MaxClients+ownConnections)
	list := []string{
		"listen_addresses=", // the socket is enough, and a port may be taken or reachable from elsewhere
		"max_connections=" + strconv.Itoa(connections),
		// A checkpoint in the middle of one short run, and not in the next, is the largest difference
		// between two runs of the same thing. Half an hour and 4 GB are out of the reach of most.
		"checkpoint_timeout=30min",
		"max_wal_size=4GB",
	}
	if mb := sharedBuffersMB(memory); mb > 0 {
		list = append(list, fmt.Sprintf("shared_buffers=%dMB", mb))
	}
	if o.LocksPerClient > defaultLocks {
		list = append(list, "max_locks_per_transaction="+strconv.Itoa(o.LocksPerClient))
	}
	return append(list, o.Settings...)
}

// sharedBuffersMB is a quarter of the memory, as PostgreSQL's manual advises for a server of its own, but no more than
// 1 GB, which holds a queue of millions of orders. It is 0, the server's default, where a quarter is less than that.
func sharedBuffersMB(memory int64) int64 {
	const mb = 1 << 20
	if quarter := memory / 4 / mb; quarter > 128 {
		return min(quarter, 1024)
	}
	return 0
}

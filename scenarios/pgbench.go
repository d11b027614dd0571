package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"qbench/internal/shell"
)

// Invocation is the part of a run that pgbench's command line can say.
type Invocation struct {
	Mode             string // simple, extended, prepared or pipelined; "" is simple, pgbench's default
	Clients, Threads int    // 0 is pgbench's default of 1
	Duration         time.Duration
	Transactions     int64
	Variables        map[string]string // from Scenario.Variables
}

// PgbenchLine returns the command line that runs the same load under pgbench,
// for a POSIX shell and without the connection's options, or why there is none.
func (s *Scenario) PgbenchLine(i Invocation) (line, why string) {
	switch {
	case i.Mode == "pipelined":
		return "", "pgbench has no pipelined mode; -M prepared comes nearest"
	case len(s.Inline) > 0 && i.Mode != "" && i.Mode != "simple":
		return "", fmt.Sprintf("pgbench -M %s sends every variable as a parameter, and SQL takes none where :%s stands; it runs under -M simple", i.Mode, s.Inline[0])
	}
	words := []string{"pgbench", "-n"}
	add := func(flag, value string) { words = append(words, flag, value) }
	if i.Mode != "" {
		add("-M", i.Mode)
	}
	if i.Clients > 0 {
		add("-c", fmt.Sprint(i.Clients))
	}
	if i.Threads > 0 {
		add("-j", fmt.Sprint(i.Threads))
	}
	if i.Duration > 0 {
		// pgbench takes whole seconds only.
		add("-T", fmt.Sprint(max(1, int64(i.Duration.Round(time.Second)/time.Second))))
	}
	if i.Transactions > 0 {
		add("-t", fmt.Sprint(i.Transactions))
	}
	for _, name := range slices.Sorted(maps.Keys(i.Variables)) {
		add("-D", name+"="+i.Variables[name])
	}
	file := s.Path
	if strings.Contains(file, "@") {
		file += "@1" // pgbench takes what follows the last @ for the weight
	}
	add("-f", file)
	return shell.Join(words...), ""
}

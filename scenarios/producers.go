package scenarios

import (
	"embed"
	"fmt"
	"path"

	"qbench/runner/script"
)

//go:embed producers/*.sql
var producers embed.FS

// Notifications is the channel on which producers tell of new orders.
const Notifications = "qbench"

// Producer returns the script that puts orders into the queue of a workload,
// beside the strategy that takes them out. It is a pgbench script with a header
// like the strategies', and with variables of its own: both belong to one run.
func Producer(workload string, syms *script.Symbols) (*Scenario, error) {
	name := path.Join("producers", workload)
	source, err := producers.ReadFile(name + ".sql")
	if err != nil {
		return nil, fmt.Errorf("the workload %q has no producers", workload)
	}
	s, err := parse(path.Join(folder, name+".sql"), string(source), syms)
	if err != nil {
		return nil, err
	}
	s.Name = name
	return s, nil
}

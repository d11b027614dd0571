// Command installpg sees to it that this machine has the PostgreSQL server's binaries: it says nothing where they are there,
// and otherwise says so and installs the system's package, as the administrator (through sudo when it isn't).
//
// It exists so that `make demo` and `make test` do everything on a fresh machine. It searches with
// [pgserver.Find], as qbench itself does, so the two never disagree about what is there.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"qbench/internal/pgserver"
)

func main() {
	if err := install(os.Stderr, system()); err != nil {
		fmt.Fprintln(os.Stderr, "installpg:", err)
		os.Exit(1)
	}
}

// machine is what installing needs of the system.
type machine struct {
	find  func() error // nil when the binaries are there
	named bool         // the user named their folder, so a package would not be used
	root  bool
	pkg   pgserver.Package
	known bool
	run   func(command []string) error
}

func system() machine {
	pkg, known := pgserver.SystemPackage()
	return machine{
		find:  func() error { _, err := pgserver.Find(""); return err },
		named: os.Getenv(pgserver.BinDirVar) != "",
		root:  os.Geteuid() == 0,
		pkg:   pkg,
		known: known,
		run: func(command []string) error {
			cmd := exec.Command(command[0], command[1:]...)
			// Its output is not what the caller's standard output is for.
			cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stderr, os.Stderr
			return cmd.Run()
		},
	}
}

// install makes find succeed, or says why it can't.
func install(say io.Writer, m machine) error {
	err := m.find()
	if err == nil || m.named || !m.known {
		return err
	}
	fmt.Fprintln(say, "PostgreSQL's server binaries are missing; installing the system's package:")
	for _, command := range commands(m.pkg, m.root) {
		line := strings.Join(command, " ")
		fmt.Fprintln(say, line)
		if err := m.run(command); err != nil {
			return fmt.Errorf("%s: %w; install the PostgreSQL server yourself, or name a running one with --dsn", line, err)
		}
	}
	if err := m.find(); err != nil {
		return fmt.Errorf("the package is installed, and yet: %w", err)
	}
	return nil
}

// commands are the package manager's, in order, run by whom it wants.
func commands(pkg pgserver.Package, root bool) [][]string {
	var list [][]string
	for _, command := range [][]string{pkg.Refresh, pkg.Install} {
		if command == nil {
			continue
		}
		if !pkg.AsUser {
			// Nobody may be there to answer Debian's questions; other managers don't know the variable.
			command = append([]string{"env", "DEBIAN_FRONTEND=noninteractive"}, command...)
			if !root {
				command = append([]string{"sudo"}, command...)
			}
		}
		list = append(list, command)
	}
	return list
}

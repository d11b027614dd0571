package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"qbench/internal/pgserver"
)

func TestInstall(t *testing.T) {
	t.Parallel()
	apt := pgserver.Package{Refresh: []string{"apt-get", "update"}, Install: []string{"apt-get", "install", "-y", "postgresql"}}
	dnf := pgserver.Package{Install: []string{"dnf", "install", "-y", "postgresql-server"}}
	brew := pgserver.Package{Install: []string{"brew", "install", "postgresql"}, AsUser: true}
	const env = "env DEBIAN_FRONTEND=noninteractive "
	tests := []struct {
		name    string
		machine machine
		absent  bool   // the binaries, at first
		fails   string // the command that fails
		useless bool   // installing does not bring them
		ran     []string
		err     string
	}{
		{name: "there", machine: machine{pkg: apt, known: true}},
		{name: "apt as root", machine: machine{pkg: apt, known: true, root: true}, absent: true, ran: []string{env + "apt-get update", env + "apt-get install -y postgresql"}},
		{name: "apt through sudo", machine: machine{pkg: apt, known: true}, absent: true, ran: []string{"sudo " + env + "apt-get update", "sudo " + env + "apt-get install -y postgresql"}},
		{name: "dnf", machine: machine{pkg: dnf, known: true, root: true}, absent: true, ran: []string{env + "dnf install -y postgresql-server"}},
		{name: "brew", machine: machine{pkg: brew, known: true}, absent: true, ran: []string{"brew install postgresql"}},
		{name: "an unknown system", machine: machine{}, absent: true, err: "not there"},
		{name: "a folder was named", machine: machine{pkg: apt, known: true, named: true}, absent: true, err: "not there"},
		{name: "no network", machine: machine{pkg: apt, known: true, root: true}, absent: true, fails: "update", ran: []string{env + "apt-get update"}, err: "apt-get update: exit status 100"},
		{name: "nothing came of it", machine: machine{pkg: brew, known: true}, absent: true, useless: true, ran: []string{"brew install postgresql"}, err: "and yet: not there"},
	}
	for _, test := range tests {
		var ran []string
		m := test.machine
		m.find = func() error {
			if test.absent && (test.useless || !strings.Contains(strings.Join(ran, "\n"), "install")) {
				return errors.New("not there")
			}
			return nil
		}
		m.run = func(command []string) error {
			ran = append(ran, strings.Join(command, " "))
			if test.fails != "" && slices.Contains(command, test.fails) {
				return errors.New("exit status 100")
			}
			return nil
		}
		var said strings.Builder
		err := install(&said, m)
		if !slices.Equal(ran, test.ran) {
			t.Errorf("%s: ran %q, want %q", test.name, ran, test.ran)
		}
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.err)
		}
		for _, line := range test.ran {
			if !strings.Contains(said.String(), line+"\n") {
				t.Errorf("%s: did not say %q: %s", test.name, line, said.String())
			}
		}
		if len(test.ran) == 0 && said.Len() > 0 {
			t.Errorf("%s: said %q, and did nothing", test.name, said.String())
		}
	}
}

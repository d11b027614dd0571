//go:build linux

package bench_test

import (
	"os"
	"path/filepath"
	"strings"

	"qbench/runner"
)

// userScript is a strategy as a user may write one: what it does per
// transaction is said nowhere, and the transactions have other shapes than the
// shipped ones.
type userScript struct {
	name, text string
	batch      int64 // orders per transaction, which the torture alone knows
	mode       runner.Mode
}

// move moves up to n orders.
func move(n string) string {
	return strings.ReplaceAll(`with taken as (
  delete from t_order_q where id in (select id from t_order_q order by id for update skip locked limit N) returning order_id, cts)
insert into t_order_u (order_id, cts, uts, status) select order_id, cts, now(), 1 from taken`, "N", n)
}

const counted = "-- qbench: orders\n"

var userScripts = []userScript{
	{name: "several", batch: 4, text: counted + move("4") + ";\n"},
	{name: "block", batch: 5, text: "begin;\n" + counted + move("2") + ";\n" + counted + move("3") + ";\ncommit;\n"},
	{name: "message", batch: 3, mode: runner.Simple, text: counted + "begin\\; " + move("3") + "\\; commit;\n"},
	{name: "savepoint", batch: 2, text: "begin;\nsavepoint a;\n" + counted + move("3") + ";\nrollback to savepoint a;\n" + counted + move("2") + ";\nend;\n"},
}

// write puts the script into a folder.
func (s *userScript) write(folder string) (path string, err error) {
	path = filepath.Join(folder, "torture-"+s.name+".sql")
	return path, os.WriteFile(path, []byte(s.text), 0o600)
}

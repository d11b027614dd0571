package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"qbench/internal/bench"
	"qbench/internal/cli/pgbench"
)

// logOptions say whether and where transactions are logged.
type logOptions struct {
	on     bool
	prefix string
	runs   int
}

func readLogs(v *values, runs int) logOptions {
	if !v.c.Bool("log") && v.given("log-prefix") {
		v.fail("--log-prefix names the files of -l: give -l as well")
	}
	return logOptions{on: v.c.Bool("log"), prefix: v.text("log-prefix"), runs: runs}
}

// check finds out before the run whether the files can be made.
func (o logOptions) check() error {
	if !o.on {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(o.prefix), filepath.Base(o.prefix)+".*")
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return fmt.Errorf("the log %s.* cannot be written: %w: name another place with --log-prefix", o.prefix, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// open makes the files of a run, nil if nothing is logged.
func (o logOptions) open(i int, s bench.Spec) (*pgbench.TxLog, error) {
	if !o.on {
		return nil, nil
	}
	prefix := o.prefix
	if o.runs > 1 {
		prefix = fmt.Sprintf("%s.%d", prefix, i+1)
	}
	return pgbench.OpenTxLog(prefix, min(s.Threads(), s.Clients), s.Rate > 0, s.Load.MaxTries != 1)
}

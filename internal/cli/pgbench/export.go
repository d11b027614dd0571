package pgbench

import "time"

// TxLog is the log of -l, for the other commands that have the flag.
type TxLog = txLog

// OpenTxLog creates the files of a log, PREFIX.PID and PREFIX.PID.N. The lines
// hold the schedule's lag under a rate, and the retries where there can be any.
func OpenTxLog(prefix string, threads int, rate, retries bool) (*TxLog, error) {
	o := &options{logPrefix: prefix, maxTries: 1}
	if rate {
		o.rate = 1
	}
	if retries {
		o.maxTries = 0
	}
	return o.openLog(threads)
}

// Close writes what is buffered and closes the files.
func (l *txLog) Close() error { return l.close(time.Now()) }

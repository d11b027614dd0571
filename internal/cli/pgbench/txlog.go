package pgbench

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strconv"
	"time"

	"qbench/runner"
)

// TxLog writes the files of -l, one per thread. It is a [runner.TxLogger]: the
// calls for one thread come one after the other, so that nothing is locked.
type TxLog struct {
	rate, retries bool // columns that depend on -R and --max-tries
	threads       []*threadLog
}

type threadLog struct {
	file io.Closer
	w    *bufio.Writer
	line []byte
	agg  *aggregate // nil without --aggregate-interval
	err  error      // the first one; later lines are dropped
}

// defaultLogPrefix is pgbench's.
const defaultLogPrefix = "pgbench_log"

// OpenTxLog creates the files of a log: PREFIX.PID for the first thread and
// PREFIX.PID.N for the others. The lines hold the schedule's lag under a rate,
// and the retries where there can be any. An empty prefix is pgbench's.
func OpenTxLog(prefix string, threads int, rate, retries bool) (*TxLog, error) {
	if prefix == "" {
		prefix = defaultLogPrefix
	}
	l := &TxLog{rate: rate, retries: retries}
	for i := range threads {
		path := prefix + "." + strconv.Itoa(os.Getpid())
		if i > 0 {
			path += "." + strconv.Itoa(i)
		}
		f, err := os.Create(path)
		if err != nil {
			var failed *os.PathError
			if errors.As(err, &failed) {
				err = failed.Err
			}
			return nil, errors.Join(fatalf(`could not open logfile "%s": %s`, path, sentence(err)), l.Close())
		}
		l.add(f)
	}
	return l, nil
}

func (l *TxLog) add(f io.WriteCloser) {
	l.threads = append(l.threads, &threadLog{file: f, w: bufio.NewWriter(f)})
}

// openLog opens the log that the options ask for.
func (o *options) openLog() (*TxLog, error) {
	l, err := OpenTxLog(o.logPrefix, o.threads, o.rate > 0, o.maxTries != 1)
	if err == nil && o.aggregateInterval > 0 {
		l.aggregate(o)
	}
	return l, err
}

// aggregate makes the log one of --aggregate-interval.
func (l *TxLog) aggregate(o *options) {
	for _, t := range l.threads {
		t.agg = newAggregate(o)
	}
}

// start is called when the clients start.
func (l *TxLog) start(now time.Time) {
	for _, t := range l.threads {
		if t.agg != nil {
			t.agg.begin(now)
		}
	}
}

// LogTx implements [runner.TxLogger].
func (l *TxLog) LogTx(thread int, tx runner.TxOutcome) {
	t := l.threads[thread]
	t.line = t.line[:0]
	if t.agg != nil {
		t.line = t.agg.advance(t.line, tx.End)
		t.agg.add(tx)
	} else {
		t.line = l.appendLine(t.line, tx)
	}
	t.write()
}

func (t *threadLog) write() {
	if _, err := t.w.Write(t.line); err != nil && t.err == nil {
		t.err = err
	}
}

// appendLine appends pgbench's line of one transaction: client, number,
// latency in microseconds or what became of it instead, script, and the time
// of its end in seconds and (unpadded) microseconds; then, where they apply,
// the lag in microseconds and the number of retries.
func (l *TxLog) appendLine(dst []byte, tx runner.TxOutcome) []byte {
	dst = append(strconv.AppendInt(dst, int64(tx.Client), 10), ' ')
	dst = append(strconv.AppendInt(dst, tx.Serial, 10), ' ')
	var lag time.Duration
	if tx.Status == "" {
		dst = strconv.AppendInt(dst, tx.Latency.Microseconds(), 10)
		lag = tx.Lag
	} else {
		dst = append(dst, tx.Status...)
	}
	dst = append(strconv.AppendInt(append(dst, ' '), int64(tx.Script), 10), ' ')
	us := tx.End.UnixMicro()
	dst = append(strconv.AppendInt(dst, us/1e6, 10), ' ')
	dst = strconv.AppendInt(dst, us%1e6, 10)
	if l.rate {
		dst = strconv.AppendInt(append(dst, ' '), lag.Microseconds(), 10)
	}
	if l.retries {
		dst = strconv.AppendInt(append(dst, ' '), int64(tx.Retries), 10)
	}
	return append(dst, '\n')
}

// Close writes what is left and closes the files. Of an aggregated log these
// are the intervals that are complete by now; pgbench, too, drops the last
// one, which the run's end cut short.
func (l *TxLog) Close() error {
	now := time.Now()
	var errs []error
	for _, t := range l.threads {
		if t.agg != nil {
			t.line = t.agg.advance(t.line[:0], now)
			t.write()
		}
		errs = append(errs, t.err, t.w.Flush(), t.file.Close())
	}
	return errors.Join(errs...)
}

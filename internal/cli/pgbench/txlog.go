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

// txLog writes the files of -l, one per thread. It is a runner.TxLogger: the
// calls for one thread come one after the other, so that nothing is locked.
type txLog struct {
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

// openLog creates the files PREFIX.PID for the first thread and PREFIX.PID.N
// for the others.
func (o *options) openLog(threads int) (*txLog, error) {
	prefix := o.logPrefix
	if prefix == "" {
		prefix = defaultLogPrefix
	}
	l := o.newLog()
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
			return nil, fatalf(`could not open logfile "%s": %s`, path, sentence(err))
		}
		l.add(o, f)
	}
	return l, nil
}

func (o *options) newLog() *txLog { return &txLog{rate: o.rate > 0, retries: o.maxTries != 1} }

// add adds a thread's file.
func (l *txLog) add(o *options, f io.WriteCloser) {
	t := &threadLog{file: f, w: bufio.NewWriter(f)}
	if o.aggregateInterval > 0 {
		t.agg = newAggregate(o)
	}
	l.threads = append(l.threads, t)
}

// start is called when the clients start.
func (l *txLog) start(now time.Time) {
	for _, t := range l.threads {
		if t.agg != nil {
			t.agg.begin(now)
		}
	}
}

// LogTx implements [runner.TxLogger].
func (l *txLog) LogTx(thread int, tx runner.TxOutcome) {
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
func (l *txLog) appendLine(dst []byte, tx runner.TxOutcome) []byte {
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

// close writes the intervals that are complete by now and closes the files.
// pgbench, too, drops the last interval, which the run's end cut short.
func (l *txLog) close(now time.Time) error {
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

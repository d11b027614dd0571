package schema

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

const jobsName = "jobs"

// The keys of the jobs unless Options says otherwise: few enough that the
// consumers' statistics overlap, as they do in a queue of few functions.
const (
	DefaultPriorities  = 3
	DefaultEntrypoints = 10
)

// MaxJobKeys bounds Options.Priorities and Options.Entrypoints.
const MaxJobKeys = math.MaxInt32

// jobs is PgQueuer's queue: jobs, which consumers take in batches by priority;
// statistics, to which each completed job is added; and jobs_log, to which it is
// appended instead.
//
// A job's identity is its id, and its payload, priority and entrypoint follow
// from that. A completed job leaves no identity behind in statistics, only its
// count, so the audit proves exactly-once by the count of each pair of priority
// and entrypoint; see sql/jobs/audit.sql.
var jobs = &workload{
	name:      jobsName,
	layouts:   []string{Plain, Unlogged},
	routines:  []string{"jobs_complete"},
	types:     []string{"jobs_status", "statistics_status"},
	queue:     "jobs",
	marked:    []string{"jobs", "statistics", "jobs_log"},
	normalize: jobsNormalize,
	relations: func(Options) []string {
		return []string{
			"jobs", "jobs_id_seq", "jobs_pkey", "jobs_queued", "jobs_picked",
			"statistics", "statistics_id_seq", "statistics_pkey", "statistics_key",
			"jobs_log", "jobs_log_id_seq", "jobs_log_pkey", "jobs_log_pending",
		}
	},
	create: func(o Options) []string {
		values := map[string]string{"unlogged": unloggedWord(o)}
		return []string{
			readSQL("jobs/types.sql", o.Schema, nil), readSQL("jobs/queue.sql", o.Schema, values),
			readSQL("jobs/statistics.sql", o.Schema, values), readSQL("jobs/log.sql", o.Schema, values),
		}
	},
	columns: func(Options) []string {
		return []string{"id", "priority", "created", "updated", "status", "entrypoint", "payload"}
	},
	row:   jobsRow,
	zoned: true,
	indexes: func(o Options) [][]string {
		return [][]string{{readSQL("jobs/index-id.sql", o.Schema, nil)}, {readSQL("jobs/index-status.sql", o.Schema, nil)}}
	},
	finish: jobsFinish,
	// The others are still empty; of a table that VACUUM has found so the
	// planner believes it for longer than of one that it has never seen.
	vacuum: func(Options) [][]string { return [][]string{{"jobs"}} },
	done: `select coalesce((select sum(count) from /*schema*/statistics), 0)::int8
	            + (select count(*) from /*schema*/jobs_log where not aggregated)`,
	claims:  true,
	waiting: "select count(*), min(created)::timestamp from /*schema*/jobs where status = 'queued'",
}

func jobsNormalize(o *Options) error {
	for _, key := range []struct {
		n    *int
		def  int
		what string
	}{{&o.Priorities, DefaultPriorities, "priorities"}, {&o.Entrypoints, DefaultEntrypoints, "entrypoints"}} {
		if *key.n == 0 {
			*key.n = key.def
		}
		if *key.n < 1 || *key.n > MaxJobKeys {
			return fmt.Errorf("jobs cannot have %d %s: use a number from 1 to %d", *key.n, key.what, MaxJobKeys)
		}
	}
	o.Timed = false // statistics and log are as the source has them
	return nil
}

// usedRows is the number of jobs whose space an empty queue has: enough for
// reading all of it to look dearer to the planner than an index.
const usedRows = 20_000

func jobsFinish(o Options) []string {
	statements := []string{readSQL("jobs/constraints.sql", o.Schema, nil)}
	if o.Orders < usedRows {
		statements = append(statements, readSQL("jobs/used.sql", o.Schema, map[string]string{"rows": strconv.FormatInt(usedRows-o.Orders, 10)}))
	}
	return statements
}

// jobsRow derives all of a job from its number; audit.sql and the producers'
// script do the same in SQL.
func jobsRow(o Options) rowFunc {
	payload := bytes.Repeat([]byte{'x'}, md5.Size+o.PayloadBytes)
	return func(b []byte, job order) []byte {
		b = fieldInt8(b, job.n)
		b = fieldInt4(b, int32(binary.BigEndian.Uint32(job.id[:4])%uint32(o.Priorities)))
		b = fieldTimestamp(fieldTimestamp(b, job.now), job.now)
		b = field(b, []byte("queued"))
		b = field(b, strconv.AppendUint([]byte("entrypoint_"), uint64(binary.BigEndian.Uint32(job.id[4:8])%uint32(o.Entrypoints)), 10))
		copy(payload, job.id[:])
		return field(b, payload)
	}
}

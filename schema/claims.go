package schema

import (
	"encoding/hex"
	"fmt"
	"math"
	"strings"
)

// The variants of the claim queue's indexes, besides the primary key.
const (
	IndexFull    = "full"    // on process_id, as the source advises
	IndexPartial = "partial" // on id, of the unclaimed messages only
	IndexNone    = "none"
)

// claims is the claim queue: a message stays in its table while it is worked
// on, marked with the worker's number, and is deleted when it is completed.
var claims = &workload{
	name:      "claims",
	layouts:   []string{Plain, Unlogged},
	variants:  []string{IndexFull, IndexPartial, IndexNone},
	claims:    true,
	routines:  []string{"get_next_message", "complete_message", "process_queue"},
	queue:     "queue",
	marked:    []string{"queue", "queue_done"},
	normalize: claimsNormalize,
	relations: claimsRelations,
	create: func(o Options) []string {
		values := map[string]string{"unlogged": unloggedWord(o)}
		return []string{readSQL("claims/queue.sql", o.Schema, values), readSQL("claims/done.sql", o.Schema, values)}
	},
	columns: func(Options) []string { return []string{"id", "payload", "process_id", "cts", "taken"} },
	row:     claimsRow,
	indexes: claimsIndexes,
	finish:  func(o Options) []string { return []string{readSQL("claims/constraints.sql", o.Schema, nil)} },
	vacuum:  func(Options) [][]string { return [][]string{{"queue"}, {"queue_done"}} },
	done:    "select count(*) from /*schema*/queue_done",
	waiting: "select count(*), min(cts) from /*schema*/queue where process_id is null",
}

func claimsNormalize(o *Options) error {
	if o.Orders > math.MaxInt32/2 {
		return fmt.Errorf("%d orders cannot be seeded: the claim queue numbers its messages with an int, so use at most %d", o.Orders, math.MaxInt32/2)
	}
	o.Timed = false // its tables always say when
	return nil
}

func claimsRelations(o Options) []string {
	names := []string{"queue", "queue_id_seq", "queue_pkey", "queue_done"}
	switch o.Index {
	case IndexFull:
		names = append(names, "queue_process_id_idx")
	case IndexPartial:
		names = append(names, "queue_unclaimed_idx")
	}
	return names
}

func claimsIndexes(o Options) [][]string {
	list := [][]string{{readSQL("claims/index-id.sql", o.Schema, nil)}}
	if o.Index != IndexNone {
		list = append(list, []string{readSQL("claims/index-"+o.Index+".sql", o.Schema, nil)})
	}
	return list
}

// lostWorker is the process_id of messages that are seeded as claimed; no
// client has it.
const lostWorker = -1

func claimsRow(o Options) rowFunc {
	claimed := o.Claimed
	tail := `"}`
	if o.PayloadBytes > 0 {
		tail = `", "pad": "` + strings.Repeat("x", o.PayloadBytes) + tail
	}
	return func(b []byte, o order) []byte {
		b = fieldInt4(b, int32(o.n))
		// jsonb travels as a version and the text of the JSON.
		payload := append([]byte("\x01"+`{"order": "`), hex.EncodeToString(o.id[:])...)
		b = field(b, append(payload, tail...))
		if o.n > claimed {
			b = fieldNull(b)
			b = fieldTimestamp(b, o.now)
			return fieldNull(b)
		}
		b = fieldInt4(b, lostWorker)
		b = fieldTimestamp(b, o.now)
		return fieldTimestamp(b, o.now)
	}
}

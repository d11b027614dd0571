package runner

// errorStatus is what became of the current transaction, in pgbench's classes.
type errorStatus uint8

const (
	noError errorStatus = iota
	serializationError
	deadlockError
	otherSQLError
	metaError // the script itself is at fault; never retried, never continued
)

// SQLSTATEs that a retry may cure.
const (
	stateSerialization = "40001"
	stateDeadlock      = "40P01"
)

// stateCancelled is that of a statement that a CancelRequest ended.
const stateCancelled = "57014"

func classify(sqlstate []byte) errorStatus {
	switch string(sqlstate) {
	case stateSerialization:
		return serializationError
	case stateDeadlock:
		return deadlockError
	}
	return otherSQLError
}

func (e errorStatus) retriable() bool { return e == serializationError || e == deadlockError }

// word is the outcome in a transaction log.
func (e errorStatus) word(detailed bool) string {
	switch {
	case e == noError:
		return ""
	case !detailed:
		return "failed"
	case e == serializationError:
		return "serialization"
	case e == deadlockError:
		return "deadlock"
	}
	return "other"
}

package cli

import (
	"context"
	"errors"
)

// Status is an exit status of the process. Scripts rely on them: a status
// keeps its meaning.
type Status int

// The exit statuses.
const (
	StatusOK          Status = 0
	StatusUsage       Status = 1   // usage or setup: nothing was measured; or a result could not be written
	StatusIncomplete  Status = 2   // a client was aborted, a run was NOT AUDITED or could not be finished
	StatusFailed      Status = 3   // a threshold or a regression gate failed
	StatusAudit       Status = 4   // orders were not handled exactly once
	StatusInterrupted Status = 130 // by a signal; what was done until then is reported
)

// severity orders statuses by what a caller has to know first when several
// apply: numbers that are wrong, then numbers that are not there.
var severity = map[Status]int{
	StatusOK: 0, StatusFailed: 1, StatusIncomplete: 2, StatusInterrupted: 3, StatusUsage: 4, StatusAudit: 5,
}

// worse returns the more severe of two statuses.
func worse(a, b Status) Status {
	if severity[b] > severity[a] {
		return b
	}
	return a
}

// orLost is the status of a command whose results are complete, but for err,
// which kept some of them from being written: another reason to fail is not
// hidden by that.
func orLost(status Status, err error) Status {
	if status == StatusOK && err != nil {
		return StatusUsage
	}
	return status
}

// statusError is an error that ends the process with a status of its own.
type statusError struct {
	status Status
	err    error // nil where the output has said it all
}

func (e *statusError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

// withStatus ends the process with a status; err may be nil.
func withStatus(status Status, err error) error {
	if status == StatusOK && err == nil {
		return nil
	}
	return &statusError{status, err}
}

// usageError is a mistake on the command line; the hint is printed behind it.
type usageError struct {
	err     error
	command string // "" for qbench itself
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// statusOf is the exit status that an error calls for.
func statusOf(err error) Status {
	var s *statusError
	switch {
	case err == nil:
		return StatusOK
	case errors.As(err, &s):
		return s.status
	case errors.Is(err, context.Canceled):
		return StatusInterrupted
	}
	return StatusUsage
}

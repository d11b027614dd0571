package cli

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"qbench/internal/result"
)

func TestResultStatus(t *testing.T) {
	t.Parallel()
	ok, failed := &result.Audit{OK: true}, &result.Audit{}
	for _, c := range []struct {
		r    result.Run
		want Status
	}{
		{result.Run{}, StatusOK},
		{result.Run{Audit: ok}, StatusOK},
		{result.Run{Audit: ok, AbortedClients: 1}, StatusIncomplete},
		{result.Run{Audit: ok, Interrupted: true}, StatusInterrupted},
		{result.Run{Audit: ok, Interrupted: true, AbortedClients: 1}, StatusInterrupted},
		{result.Run{Configuration: result.Configuration{Workload: "orders"}}, StatusIncomplete}, // the queue was not audited
		{result.Run{Audit: failed}, StatusAudit},
		{result.Run{Audit: failed, Interrupted: true, AbortedClients: 1}, StatusAudit},
	} {
		if got := resultStatus(&c.r); got != c.want {
			t.Errorf("%+v: status %d, want %d", c.r, got, c.want)
		}
	}
}

func TestStatusOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want Status
	}{
		{nil, StatusOK},
		{withStatus(StatusOK, nil), StatusOK},
		{errors.New("x"), StatusUsage},
		{&usageError{errors.New("x"), "run"}, StatusUsage},
		{withStatus(StatusAudit, nil), StatusAudit},
		{fmt.Errorf("outer: %w", withStatus(StatusFailed, errors.New("x"))), StatusFailed},
		{fmt.Errorf("outer: %w", context.Canceled), StatusInterrupted},
	} {
		if got := statusOf(c.err); got != c.want {
			t.Errorf("%v: status %d, want %d", c.err, got, c.want)
		}
	}
}

// The order in which statuses come together does not matter, and every status
// has its place and its line in the help.
func TestWorse(t *testing.T) {
	t.Parallel()
	if len(severity) != len(statusHelp) {
		t.Errorf("%d severities, %d lines in the help", len(severity), len(statusHelp))
	}
	for _, a := range statusHelp {
		for _, b := range statusHelp {
			if worse(a.status, b.status) != worse(b.status, a.status) {
				t.Errorf("worse(%d, %d) depends on the order", a.status, b.status)
			}
		}
		if worse(StatusOK, a.status) != a.status {
			t.Errorf("%d is not worse than success", a.status)
		}
	}
}

//go:build !linux

package runner

func newPoller() (poller, error) { return newNetPoller(), nil }

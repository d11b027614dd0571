//go:build !linux && !darwin

package pgserver

import (
	"context"
	"fmt"
	"runtime"
)

// process has no form here: [Start] never returns a server on this system.
type process struct{}

func (p *process) log() string  { return "" }
func (p *process) close() error { return nil }

// Start reports that a disposable server is available on Linux and macOS only.
func Start(_ context.Context, o Options) (*Server, error) {
	if err := checkSettings(o.Settings); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("a disposable PostgreSQL is not started on %s; name a running server with --dsn", runtime.GOOS)
}

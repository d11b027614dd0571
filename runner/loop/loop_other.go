//go:build !linux

package loop

import "net"

// Loop waits for many sockets at once. One goroutine calls Wait; Wake may be
// called by any.
type Loop struct{ *fallback }

// New makes a loop without sockets.
func New() (*Loop, error) { return &Loop{newFallback()}, nil }

// BePolite does nothing here: a waiting goroutine leaves the processor to others.
func (l *Loop) BePolite() {}

// Attach takes nc over: what comes from it goes to receive.
func (l *Loop) Attach(nc net.Conn, receive Receive) (Socket, error) {
	return l.attach(nc, receive), nil
}

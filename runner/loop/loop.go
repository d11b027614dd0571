// Package loop is an event loop for client sockets, plain and TLS. It knows
// nothing of the protocol that they carry.
//
// A connection is made by ordinary blocking code through [Dial], and then given
// to a Loop with Attach. From there on nothing blocks: what comes is handed to
// the socket's Receive from within Wait, and Write takes everything and leaves
// to the loop what the kernel has no room for yet. On Linux one epoll set
// serves all sockets; there is no goroutine per connection, under TLS neither.
// Elsewhere, and for connections that [Dial] did not make, a goroutine reads
// and another one writes.
//
// [Timers] keeps what is due next, for the timeout of Wait, and [Inbox] what other
// goroutines want done.
package loop

import (
	"errors"
	"net"
)

// Receive takes what came from a socket, from within Wait. The data is valid
// during the call only. An error is the end of the socket, which still has to
// be closed.
type Receive func(data []byte, err error)

// Socket is a connection in the care of a loop. Its methods are called by the
// goroutine that calls Wait.
type Socket interface {
	// Write sends all of p; it never blocks and doesn't keep p. A connection
	// that broke is reported through Receive, after what the peer sent before;
	// the error is that of a socket that was closed.
	Write(p []byte) error
	// Close closes the connection without waiting for the peer. What Write took
	// and the kernel did not is lost.
	Close()
}

// errNoData is what a Conn's Read returns when the socket is empty. crypto/tls
// gives up a connection after any read error but a temporary one.
var errNoData net.Error = noData{}

type noData struct{}

func (noData) Error() string   { return "no data yet" }
func (noData) Timeout() bool   { return true }
func (noData) Temporary() bool { return true }

// isNoData says whether a read only has to be repeated later.
func isNoData(err error) bool { return errors.Is(err, errNoData) }

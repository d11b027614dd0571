package runner

import (
	"context"

	"qbench/runner/loop"
	"qbench/runner/wire"
)

// conn is a connection to the server after the handshake, owned by one loop.
type conn struct {
	pid    uint32 // of the server process
	sock   loop.Socket
	cancel func(context.Context) error // asks the server to cancel its statement
	client *client                     // who uses it now; nil in a pool
	out    []byte                      // encoded, not yet written
	in     wire.Reader
	// prepared tells by statement id what was parsed on this connection;
	// inlined holds the names of statements with inlined text.
	prepared []bool
	inlined  map[string]string
	texts    int     // statements with inlined text so far, for their names
	columns  [][]int // by statement id, in pipelined mode: described once
	txStatus byte    // of the last ReadyForQuery: I, T or E
	notified bool    // a notification came while its client was busy
}

// flush writes what was encoded.
func (c *conn) flush() error {
	if len(c.out) == 0 {
		return nil
	}
	err := c.sock.Write(c.out)
	c.out = c.out[:0]
	return err
}

// terminate says goodbye and closes.
func (c *conn) terminate() {
	// The server notices a closed socket as well, but logs it.
	_ = c.sock.Write(wire.AppendTerminate(nil))
	c.sock.Close()
}

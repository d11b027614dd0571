package runner

import (
	"qbench/runner/wire"
)

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

// takeNotification says whether a notification came while the client was busy.
func (c *conn) takeNotification() bool {
	n := c.notified
	c.notified = false
	return n
}

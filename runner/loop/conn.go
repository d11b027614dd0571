package loop

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"time"
)

// DialFunc is the type of a dialer's function.
type DialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// Dial returns a dialer whose connections a Loop can take over, also as the
// lower end of a *tls.Conn.
func Dial(dial DialFunc) DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		nc, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &Conn{under: nc}, nil
	}
}

// Conn is a connection that blocks and honours deadlines until a Loop takes it
// over. Afterwards Read returns a temporary error where nothing has come, Write
// takes everything at once, and deadlines mean nothing.
type Conn struct {
	under  net.Conn
	source io.Reader
	sock   attached // nil before Attach
}

// attached is the descriptor below a Conn that a loop has taken over.
type attached interface {
	read(p []byte) (int, error)
	write(p []byte) error
	closeDescriptor()
}

// Below returns the Conn that nc is or that lies below nc's TLS; nil if none does.
func Below(nc net.Conn) *Conn {
	if t, ok := nc.(*tls.Conn); ok {
		nc = t.NetConn()
	}
	c, _ := nc.(*Conn)
	return c
}

// SetSource names the reader that the code which made the connection read
// through: it may hold bytes that arrived already. The loop empties it, up to
// the first time that it finds nothing, and reads from the connection then.
func (c *Conn) SetSource(r io.Reader) { c.source = r }

// Read reads from the connection.
func (c *Conn) Read(p []byte) (int, error) {
	if c.sock != nil {
		return c.sock.read(p)
	}
	return c.under.Read(p)
}

// Write writes to the connection.
func (c *Conn) Write(p []byte) (int, error) {
	if c.sock == nil {
		return c.under.Write(p)
	}
	if err := c.sock.write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close closes the connection.
func (c *Conn) Close() error {
	if c.sock == nil {
		return c.under.Close()
	}
	c.sock.closeDescriptor()
	return nil
}

// LocalAddr is the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.under.LocalAddr() }

// RemoteAddr is the address of the other end.
func (c *Conn) RemoteAddr() net.Addr { return c.under.RemoteAddr() }

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	if c.sock != nil {
		return nil
	}
	return c.under.SetDeadline(t)
}

// SetReadDeadline sets the deadline of Read.
func (c *Conn) SetReadDeadline(t time.Time) error {
	if c.sock != nil {
		return nil
	}
	return c.under.SetReadDeadline(t)
}

// SetWriteDeadline sets the deadline of Write.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	if c.sock != nil {
		return nil
	}
	return c.under.SetWriteDeadline(t)
}

package runner

import (
	"context"
	"fmt"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
)

// Connector establishes one connection; it is called from several goroutines.
type Connector func(ctx context.Context) (*pgconn.PgConn, error)

// conn is a connection to the server after the handshake, owned by one thread.
type conn struct {
	pid    uint32 // of the server process
	sock   socket
	client *client // who uses it now; nil in a pool
	out    []byte  // encoded, not yet written
	rest   []byte  // received, but not yet a whole message
	// prepared tells by statement id what was parsed on this connection;
	// inlined holds the names of statements with inlined text.
	prepared []bool
	inlined  map[string]string
	texts    int     // statements with inlined text so far, for their names
	columns  [][]int // by statement id, in pipelined mode: described once
	txStatus byte    // of the last ReadyForQuery: I, T or E
	notified bool    // a notification came while its client was busy
}

// socket is how a thread reaches a connection: a descriptor in its epoll set
// where the system has that, or a net.Conn (TLS, other systems).
type socket interface {
	// write sends all of p or returns an error. It may keep what the kernel
	// would not take yet and send it later.
	write(p []byte) error
	close()
}

// takeOver takes the socket out of pgconn's hands once connecting is done, so
// that authentication and TLS stay the library's and the load path ours.
func takeOver(pc *pgconn.PgConn, statements int, mode Mode) (*conn, net.Conn, error) {
	h, err := pc.Hijack()
	if err != nil {
		return nil, nil, fmt.Errorf("take over connection: %w", err)
	}
	c := &conn{pid: h.PID, txStatus: h.TxStatus}
	c.prepared = make([]bool, statements)
	if mode == Pipelined {
		c.columns = make([][]int, statements)
	}
	return c, h.Conn, nil
}

// flush writes what was encoded.
func (c *conn) flush() error {
	if len(c.out) == 0 {
		return nil
	}
	err := c.sock.write(c.out)
	c.out = c.out[:0]
	return err
}

// terminate says goodbye and closes.
func (c *conn) terminate() {
	// The server notices a closed socket as well, but logs it.
	_ = c.sock.write(msgTerminate)
	c.sock.close()
}

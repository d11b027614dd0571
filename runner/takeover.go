package runner

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"qbench/runner/loop"
)

// noticesKey is where PrepareConfig keeps, in a connection's custom data, the
// notices that came while it was made.
const noticesKey = "qbench.notices"

// PrepareConfig makes the connections of a configuration fit for the event
// loop, under TLS too. The runner reports the notices that come while
// connecting, unless the configuration has a handler of its own.
func PrepareConfig(c *pgconn.Config) {
	c.DialFunc = loop.Dial(c.DialFunc)
	build := c.BuildFrontend
	c.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		// pgconn may read ahead through r, in the background.
		if nc, ok := w.(net.Conn); ok {
			if under := loop.Below(nc); under != nil {
				under.SetSource(r)
			}
		}
		return build(r, w)
	}
	afterNetConnect := c.AfterNetConnect
	c.AfterNetConnect = func(ctx context.Context, config *pgconn.Config, nc net.Conn) (net.Conn, error) {
		// Left to the first write, the handshake would make it so slow that
		// pgconn starts to read in the background. A failure shows in that write.
		if t, ok := nc.(*tls.Conn); ok {
			_ = t.HandshakeContext(ctx)
		}
		if afterNetConnect != nil {
			return afterNetConnect(ctx, config, nc)
		}
		return nc, nil
	}
	if c.OnNotice == nil {
		c.OnNotice = func(pc *pgconn.PgConn, n *pgconn.Notice) {
			list, _ := pc.CustomData()[noticesKey].([]*pgconn.Notice)
			pc.CustomData()[noticesKey] = append(list, n)
		}
	}
	c.TLSConfig = fewerRecords(c.TLSConfig)
	for _, f := range c.Fallbacks {
		f.TLSConfig = fewerRecords(f.TLSConfig)
	}
}

// fewerRecords keeps TLS from cutting a new connection's statements into packets.
func fewerRecords(c *tls.Config) *tls.Config {
	if c == nil {
		return nil
	}
	c = c.Clone()
	c.DynamicRecordSizingDisabled = true
	return c
}

// takeOver takes the socket out of pgconn's hands once connecting is done, so
// that authentication and TLS stay the library's and the load path ours.
func (r *run) takeOver(ctx context.Context, pc *pgconn.PgConn) (*conn, net.Conn, error) {
	// Otherwise pgconn's background reader may still take the first reply, or
	// have taken a notice that came with the first ReadyForQuery.
	// It gives up after some attempts on a server that goes on sending.
	const attempts = 10
	err := pc.SyncConn(ctx)
	for i := 1; err != nil && i < attempts && ctx.Err() == nil && !pc.IsClosed(); i++ {
		err = pc.SyncConn(ctx)
	}
	if err != nil {
		pc.Conn().Close()
		return nil, nil, fmt.Errorf("take over connection: %w", err)
	}
	h, err := pc.Hijack()
	if err != nil {
		pc.Conn().Close()
		return nil, nil, fmt.Errorf("take over connection: %w", err)
	}
	notices, _ := h.CustomData[noticesKey].([]*pgconn.Notice)
	for _, n := range notices {
		r.message("notice", NoticeText(n))
	}
	c := &conn{pid: h.PID, txStatus: h.TxStatus, cancel: canceller(h)}
	c.prepared = make([]bool, r.statements)
	if r.cfg.Mode == Pipelined {
		c.columns = make([][]int, r.statements)
	}
	return c, h.Conn, nil
}

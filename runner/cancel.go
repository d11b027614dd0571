package runner

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// canceller returns what sends a CancelRequest for the connection's statement,
// unencrypted as libpq did before version 17: the server takes it before any
// other message. It keeps the address and the key, not the connection.
func canceller(h *pgconn.HijackedConn) func(context.Context) error {
	addr, dial := h.Conn.RemoteAddr(), h.Config.DialFunc
	msg := pgproto3.CancelRequest{ProcessID: h.PID, SecretKey: h.SecretKey}
	return func(ctx context.Context) error {
		nc, err := dial(ctx, addr.Network(), addr.String())
		if err != nil {
			return err
		}
		defer nc.Close()
		if end, ok := ctx.Deadline(); ok {
			_ = nc.SetDeadline(end)
		}
		buf, err := msg.Encode(nil)
		if err != nil {
			return err
		}
		if _, err := nc.Write(buf); err != nil {
			return err
		}
		_, _ = nc.Read(buf[:1]) // the server closes it once the signal is sent
		return nil
	}
}

package runner

import (
	"context"
	"fmt"
	"net"
)

// dial makes one connection, ready for the load.
func (r *run) dial(ctx context.Context) (*conn, net.Conn, error) {
	pc, err := r.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	return r.takeOver(ctx, pc)
}

// dialListening makes a connection that hears the group's notifications.
func (r *run) dialListening(ctx context.Context, channel string) (*conn, net.Conn, error) {
	pc, err := r.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	if _, err := pc.Exec(ctx, "LISTEN "+quoteIdentifier(channel)).ReadAll(); err != nil {
		pc.Close(ctx)
		pc.Conn().Close() // pgconn keeps it open for a while after ctx ended
		return nil, nil, fmt.Errorf("listen on %s: %w", channel, err)
	}
	return r.takeOver(ctx, pc)
}

// quoteIdentifier quotes a name for SQL.
func quoteIdentifier(name string) string {
	out := []byte{'"'}
	for i := range len(name) {
		if name[i] == '"' {
			out = append(out, '"')
		}
		out = append(out, name[i])
	}
	return string(append(out, '"'))
}

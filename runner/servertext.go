package runner

import (
	"github.com/jackc/pgx/v5/pgconn"

	"qbench/runner/wire"
)

// ErrorText renders an error of the server that the driver has read as psql shows
// it; query may be "" where it is not known.
func ErrorText(e *pgconn.PgError, query string) string {
	return serverMessage(e).Text(query)
}

// NoticeText renders a notice that the driver has read as libpq shows it, which
// is without the context.
func NoticeText(n *pgconn.Notice) string {
	m := serverMessage((*pgconn.PgError)(n))
	m.Context = ""
	return m.Text("")
}

func serverMessage(e *pgconn.PgError) wire.ServerMessage {
	return wire.ServerMessage{Severity: e.Severity, Message: e.Message, Position: int(e.Position), Detail: e.Detail, Hint: e.Hint, Context: e.Where}
}

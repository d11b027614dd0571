package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Setup is SQL of the user's own that changes a queue once it is made and
// seeded: another index, storage parameters, a trigger.
type Setup struct {
	Name string // of the file, for messages and the record
	SQL  string // statements; they are one transaction
}

// apply runs the statements with the target's search_path. An error names the
// line.
func (s *Setup) apply(ctx context.Context, t *Target, conn *pgx.Conn) error {
	if s == nil {
		return nil
	}
	pooler, err := t.pooling(ctx)
	if err != nil {
		return err
	}
	// A single statement may be one that cannot run in a transaction. Behind a
	// pooler that is given up, or others would be left with the setting.
	before, after := "", "reset search_path"
	if t.Schema != "" {
		before = "set search_path = " + searchPath(t.Schema, "")
	}
	if pooler != "" {
		before, after = "begin; "+strings.Replace(before, "set ", "set local ", 1), "commit"
	}
	if err := t.exec(ctx, conn.PgConn(), before); err != nil {
		return err
	}
	// All at once, as the simple protocol has it: splitting SQL at its
	// semicolons would need a lexer that knows function bodies.
	_, err = conn.PgConn().Exec(ctx, s.SQL).ReadAll()
	if err == nil {
		_, err = conn.PgConn().Exec(ctx, after).ReadAll()
	}
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %s (SQLSTATE %s): nothing of it was done, and no run was made", s.place(pe), pe.Message, pe.Code)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return nil
}

// place is FILE:LINE where the server says where it stopped.
func (s *Setup) place(pe *pgconn.PgError) string {
	if pe.Position < 1 || int(pe.Position) > utf8.RuneCountInString(s.SQL) {
		return s.Name
	}
	before := string([]rune(s.SQL)[:pe.Position-1])
	return fmt.Sprintf("%s:%d", s.Name, 1+strings.Count(before, "\n"))
}

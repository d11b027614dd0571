package bench

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"qbench/schema"
)

// SeedingStoppedError is ErrStopped in the middle of Make: the tables are there,
// but incomplete.
type SeedingStoppedError struct {
	Schema string // "" is the connection's
	Tables []string
}

func (e *SeedingStoppedError) Error() string {
	where := ""
	if e.Schema != "" {
		where = fmt.Sprintf(" in schema %q", e.Schema)
	}
	return fmt.Sprintf("interrupted while seeding: the tables %s%s stay, incomplete; the next \"qbench run\" or \"qbench init\" replaces them, and \"qbench clean\" drops them",
		strings.Join(e.Tables, " and "), where)
}

func (e *SeedingStoppedError) Unwrap() error { return ErrStopped }

// Make creates and seeds the tables in place of those that an earlier call
// made. The options' schema is the target's.
func (t *Target) Make(ctx context.Context, conn *pgx.Conn, o schema.Options, hooks Hooks) error {
	o.Schema = t.Schema
	if err := schema.Preflight(ctx, conn, o); err != nil {
		return err
	}
	if err := schema.Create(ctx, conn, o); err != nil {
		return t.seedingStopped(ctx, o, err)
	}
	report, err := schema.Seed(ctx, t.Connect, o, hooks.Seeding)
	if err != nil {
		return t.seedingStopped(ctx, o, err)
	}
	if hooks.Seeded != nil {
		hooks.Seeded(report)
	}
	return nil
}

// seedingStopped turns the error of a Make whose context has ended into one that
// says what stays, and returns any other as it is. The server is asked: Create
// may have been committed before its end was heard of.
func (t *Target) seedingStopped(ctx context.Context, o schema.Options, err error) error {
	if ctx.Err() == nil {
		return err
	}
	ask, cancel := context.WithTimeout(context.WithoutCancel(ctx), terminateWait)
	defer cancel()
	conn, cerr := t.Connect(ask)
	if cerr != nil {
		return err
	}
	defer closeConn(ask, conn)
	if made, ierr := schema.Inspect(ask, conn, t.Schema, o.Workload); ierr != nil || made == nil || made.Seeded {
		return err
	}
	return &SeedingStoppedError{Schema: t.Schema, Tables: schema.Tables(o.Workload)}
}

package bench

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"qbench/schema"
)

// lookForCreators words a warning where others may create objects in the
// queue's schema. qbench's own statements call none of them, but scripts
// resolve their operators and functions there.
func (r *run) lookForCreators(ctx context.Context, conn *pgx.Conn) error {
	if r.made == nil {
		return nil
	}
	roles, err := schema.Creators(ctx, conn, r.made.Schema)
	if err != nil || len(roles) == 0 {
		return err
	}
	r.creators = fmt.Sprintf("%s may create objects in schema %q, and the scripts run the operators and functions of that schema with your rights: "+
		"revoke create on schema %s, or use a schema of your own (--schema-name)",
		strings.Join(roles, ", "), r.made.Schema, pgx.Identifier{r.made.Schema}.Sanitize())
	return nil
}

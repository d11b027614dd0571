package schema

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Creators lists the roles, besides this one and superusers, that may create
// objects in a schema: "PUBLIC", or quoted names. Scripts resolve their
// operators and functions there, and run them with this role's rights.
func Creators(ctx context.Context, conn *pgx.Conn, schema string) (roles []string, err error) {
	err = InCatalog(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, readSQL("creators.sql", schema, nil), schema)
		if err != nil {
			return err
		}
		roles, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ask who may create objects in schema %q: %w", schema, err)
	}
	return roles, nil
}

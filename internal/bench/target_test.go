package bench

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// A limit is waited for, since connections of before may be ending; anything
// else is said at once.
func TestConnectsAgainWhenFull(t *testing.T) {
	t.Parallel()
	full := &pgconn.PgError{Code: "53300", Message: "too many connections for role \"a\""}
	denied := &pgconn.PgError{Code: "28P01", Message: "password authentication failed"}
	tg, err := NewTarget("host=nowhere", "")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		answers []error
		fails   error
	}{
		"at once":          {[]error{nil}, nil},
		"full at first":    {[]error{full, full, nil}, nil},
		"then denied":      {[]error{full, denied}, denied},
		"no such password": {[]error{denied}, denied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			_, err := patiently(t.Context(), tg, func() (int, error) {
				asked++
				return asked, c.answers[asked-1]
			})
			if asked != len(c.answers) || !errors.Is(err, c.fails) {
				t.Errorf("asked %d times, want %d: %v", asked, len(c.answers), err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := patiently(ctx, tg, func() (int, error) { return 0, full }); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

package conninfo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// IsURL says whether a connection string is a URL; otherwise it is in the form of keywords and values.
func IsURL(s string) bool {
	return strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://")
}

// Prepare checks a connection string ("" for libpq's variables alone) and returns one that the driver may read, with the
// warning that libpq gives about a password file that others can read; "" for none. The error holds no password.
func Prepare(dsn string) (ready, warning string, err error) {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return "", "", Unreadable(dsn, err)
	}
	// The driver, as libpq, takes what an unencoded / cuts off from a password for a part of the host's or the
	// database's name, or for a parameter.
	if IsURL(dsn) && strings.Contains(config.Host+config.Database, "@") {
		return "", "", Unreadable(dsn, errors.New("a host or a database with an @ in its name"))
	}
	for name, value := range config.RuntimeParams {
		if IsURL(dsn) && strings.Contains(name+value, "@") && !runtimeParams[name] {
			return "", "", Unreadable(dsn, fmt.Errorf("a parameter %q with an @", name))
		}
	}
	return checkPassfile(dsn, config.Password)
}

// runtimeParams are the parameters of libpq that go to the server.
var runtimeParams = map[string]bool{"application_name": true, "options": true, "client_encoding": true, "search_path": true}

// Unreadable words why a connection string can't be read. The reason is passed on only where no part of the string can be a
// password: a misplaced / or @ makes the driver take a piece of the password for a port or a host, and quote it.
func Unreadable(dsn string, err error) error {
	if MayHoldPassword(dsn) {
		return errors.New("the connection string cannot be read (it is not shown, since it may hold a password): " +
			"write postgres://USER:PASSWORD@HOST:PORT/DATABASE with special characters percent-encoded, or host=HOST user=USER dbname=DATABASE")
	}
	return fmt.Errorf("the connection string cannot be read: %w", err)
}

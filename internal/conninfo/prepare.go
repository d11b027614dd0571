package conninfo

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// IsURL says whether a connection string is a URL; otherwise it is in the form of keywords and values.
func IsURL(s string) bool {
	return strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://")
}

// Complete adds to a URL the parameters that it leaves open, as pairs of a name (host, port or user) and a value. The text
// stays as it is otherwise: parsed and written again, an unencoded # or ? in a password would become something else.
func Complete(dsn string, given [][2]string) string {
	_, all, _ := strings.Cut(dsn, "://")
	rest := behindCredentials(dsn)
	user, _, _ := strings.Cut(strings.TrimSuffix(all, rest), ":")
	place, _, _ := strings.Cut(rest, "?")
	place, _, _ = strings.Cut(place, "/")
	host, hasPort := place, false
	if i := strings.LastIndexByte(place, ':'); i >= 0 && !strings.HasSuffix(place, "]") {
		host, hasPort = place[:i], i+1 < len(place)
	}
	own := parameters(dsn)
	has := map[string]bool{"user": strings.Trim(user, "@") != "", "host": host != "", "port": hasPort}
	for _, kv := range given {
		if _, named := own[kv[0]]; kv[1] == "" || has[kv[0]] || named {
			continue
		}
		separator := "?"
		if strings.Contains(behindCredentials(dsn), "?") {
			separator = "&"
		}
		dsn += separator + kv[0] + "=" + strings.ReplaceAll(url.QueryEscape(kv[1]), "+", "%20")
	}
	return dsn
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
	var file *fs.PathError
	if errors.As(err, &file) {
		return fmt.Errorf("a file that the connection string or libpq's variables name cannot be read: %w", file)
	}
	if MayHoldPassword(dsn) {
		return errors.New("the connection string cannot be read (it is not shown, since it may hold a password): " +
			"write postgres://USER:PASSWORD@HOST:PORT/DATABASE with special characters percent-encoded, or host=HOST user=USER dbname=DATABASE")
	}
	return fmt.Errorf("the connection string cannot be read: %w", err)
}

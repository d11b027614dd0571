package conninfo

import (
	"bufio"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// checkPassfile makes the driver pass over a password file as libpq does: one that is no plain file, or that group or others
// can read. The driver reads any. libpq looks at it only where no password is given otherwise.
func checkPassfile(dsn, password string) (ready, warning string, err error) {
	without := withoutPassfile(dsn)
	config, err := pgconn.ParseConfig(without)
	if err != nil {
		return "", "", Unreadable(dsn, err)
	}
	if config.Password != "" {
		return dsn, "", nil
	}
	path := passfile(dsn)
	if warning = distrust(path); warning == "" {
		return dsn, "", nil
	}
	return without, warning, nil
}

// withoutPassfile adds to a connection string that there is no password file: an empty name, which can't be opened. The
// last of a repeated parameter counts.
func withoutPassfile(dsn string) string {
	if !IsURL(dsn) {
		return dsn + " passfile=''"
	}
	if strings.Contains(behindCredentials(dsn), "?") {
		return dsn + "&passfile="
	}
	return dsn + "?passfile="
}

// behindCredentials is a URL from its host on. As with libpq the credentials end at an @ that stands before any slash.
func behindCredentials(dsn string) string {
	_, rest, _ := strings.Cut(dsn, "://")
	if i := strings.IndexAny(rest, "@/"); i >= 0 && rest[i] == '@' {
		return rest[i+1:]
	}
	return rest
}

// distrust is libpq's warning about a password file; "" for a file that is fine or not there. Windows keeps such files in a
// folder of the user's own, and libpq doesn't check them there.
func distrust(path string) string {
	if runtime.GOOS == "windows" {
		return ""
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return ""
	case !info.Mode().IsRegular():
		return fmt.Sprintf(`WARNING: password file "%s" is not a plain file`, path)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Sprintf(`WARNING: password file "%s" has group or world access; permissions should be u=rw (0600) or less`, path)
	}
	return ""
}

// passfile is the password file that the driver would read: the connection string's, the service's, the environment's, or
// ~/.pgpass.
func passfile(dsn string) string {
	own := parameters(dsn)
	if path, ok := own["passfile"]; ok {
		return path
	}
	home, _ := os.UserHomeDir() // without one there are no files in it
	if service := first(own["service"], os.Getenv("PGSERVICE")); service != "" {
		file := first(own["servicefile"], os.Getenv("PGSERVICEFILE"), filepath.Join(home, ".pg_service.conf"))
		if path, ok := servicePassfile(file, service); ok {
			return path
		}
	}
	return first(os.Getenv("PGPASSFILE"), filepath.Join(home, ".pgpass"))
}

func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

var (
	keyValue = regexp.MustCompile(`([^\s=]+)\s*=\s*(?:'((?:\\.|[^'\\])*)'|((?:\\.|[^\s\\])*))`)
	escaped  = regexp.MustCompile(`\\(.)`)
)

// parameters reads the parameters of a connection string that the driver has accepted; of a URL those of its query.
func parameters(dsn string) map[string]string {
	out := map[string]string{}
	if !IsURL(dsn) {
		for _, m := range keyValue.FindAllStringSubmatch(dsn, -1) {
			out[m[1]] = escaped.ReplaceAllString(m[2]+m[3], "$1")
		}
		return out
	}
	_, query, _ := strings.Cut(behindCredentials(dsn), "?")
	for _, pair := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if text, err := url.PathUnescape(value); err == nil {
			out[name] = text
		}
	}
	return out
}

// servicePassfile reads the password file's name from a service file.
func servicePassfile(path, service string) (string, bool) {
	file, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer file.Close()
	section, found, has := "", "", false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = line[1 : len(line)-1]
		}
		name, value, ok := strings.Cut(line, "=")
		if ok && section == service && strings.TrimSpace(name) == "passfile" {
			found, has = strings.TrimSpace(value), true
		}
	}
	return found, has
}

package conninfo

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"":                                     "",
		"skip-locked":                          "skip-locked",
		"postgres://u@h/db":                    "postgres://u@h/db",
		"postgres://h:5432/db":                 "postgres://h:5432/db",
		"postgres://[::1]:5432/db":             "postgres://[::1]:5432/db",
		"postgres://h1:1,h2:2/db?sslmode=x":    "postgres://h1:1,h2:2/db?sslmode=x",
		"host=h user=u passfile=/x":            "host=h user=u passfile=/x",
		"postgres://u:pw@h/db":                 "postgres://u:xxxxx@h/db",
		"--dsnpostgres://u:pw@h/db":            "--dsnpostgres://u:xxxxx@h/db",
		"-dpostgres://u:Pw/x@y#z@h/db":         "-dpostgres://u:xxxxx@h/db",
		"postgres://u:pw":                      "postgres://u:xxxxx",
		"u:pw@h/db":                            "u:xxxxx@h/db",
		"postgres://h/db?password=p&w":         "postgres://h/db?password=xxxxx",
		"postgres://h/db?password=pw&user=u":   "postgres://h/db?password=xxxxx&user=u",
		"password=pw host=h":                   "password=xxxxx host=h",
		"host=h PassWord = 'p w' user=u":       "host=h PassWord = xxxxx user=u",
		"host=h password=p w":                  "host=h password=xxxxx",
		"PGPASSWORD=pw":                        "PGPASSWORD=xxxxx",
		"--dsn 'host=h password=pw' -c 2":      "--dsn 'host=h password=xxxxx",
		"sslpassword=größe sslmode=require":    "sslpassword=xxxxx sslmode=require",
		"https://example.org/a":                "https://example.org/a",
		"postgres://postgres:postgres@h/db":    "postgres://postgres:xxxxx@h/db",
		"x.sql@3":                              "x.sql@3",
		"postgres:///db?host=/tmp&user=a@b.de": "postgres:///db?host=/tmp&user=a@b.de",
	} {
		if got := Redact(arg); got != want {
			t.Errorf("%s is shown as %s, want %s", arg, got, want)
		}
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ arg, text, want string }{
		{"postgres://u:pw@h/db", `unexpected argument "postgres://u:pw@h/db": a`, `unexpected argument "postgres://u:xxxxx@h/db": a`},
		{"postgres://u:pw@h/db", "the upward spwan", "the upward spwan"},
		{`postgres://u:a"b\c@h`, `argument "postgres://u:a\"b\\c@h"`, `argument "postgres://u:xxxxx@h"`},
		{"--dsnpostgres://u:Pw12=x@h/db", "unknown flag --dsnpostgres://u:Pw12", "unknown flag --dsnpostgres://u:xxxxx"},
		{"postgres://u:secret12@h/db", "port \"cret12\"", `port "xxxxx"`},
		{"postgres://u:s%40crt9@h/db", "password s@crt9", "password xxxxx"},
		// What everybody uses is no secret, and the name of other things.
		{"postgres://postgres:postgres@h/db", "connect to h, user postgres", "connect to h, user postgres"},
		{"postgres://postgres:postgres@h/db", "argument postgres://postgres:postgres@h/db", "argument postgres://postgres:xxxxx@h/db"},
		{"postgres://u:assword@h/db", "check the password", "check the password"},
		{"postgres://u:12345@h/db", "123456.7 tps", "123456.7 tps"},
		{"host=h password=grün", "unexpected grün", "unexpected xxxxx"},
	} {
		if got := Find([]string{"run", c.arg}).Mask(c.text); got != c.want {
			t.Errorf("%s with %s: %s, want %s", c.text, c.arg, got, c.want)
		}
	}
}

func TestPrepareRefusesWhatCanBeReadInTwoWays(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{
		"postgres://u:Pw12/x@y#z@h/db", "postgres://u:12/Pw12@h/db", "postgres://u:12/x?Pw12=z@h/db", "postgres://u:Pw12", "host=h port=Pw12 password=x",
		"u:Pw12@h/db", "password=Pw12 a b",
	} {
		_, _, err := Prepare(dsn)
		if err == nil || strings.Contains(err.Error(), "w12") {
			t.Errorf("%s: %v", dsn, err)
		}
	}
	for _, dsn := range []string{
		"", "postgres://u:a?b#c@h/db", "postgres://h:5432/d?user=q@x", "host=h user=a@b password=c@d", "postgres://u@h/d?application_name=a@b",
	} {
		if _, _, err := Prepare(dsn); err != nil {
			t.Errorf("%s: %v", dsn, err)
		}
	}
	_, _, err := Prepare("postgres://u:Pw12@h/db?sslmode=verify-full&sslrootcert=/no/such.crt")
	if err == nil || !strings.Contains(err.Error(), "open /no/such.crt: no such file") || strings.Contains(err.Error(), "Pw12") {
		t.Errorf("a missing certificate: %v", err)
	}
}

// A password file that others can read is passed over, wherever it is named; the warning is libpq's.
func TestPasswordFileOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("libpq checks no password file on Windows")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"PGPASSFILE", "PGPASSWORD", "PGSERVICE", "PGSERVICEFILE", "PGHOST", "PGUSER", "PGDATABASE", "PGPORT"} {
		t.Setenv(name, "")
	}
	write := func(path, text string, mode os.FileMode) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const entry = "*:*:*:*:s3cret\n"
	open := write(filepath.Join(home, "open file"), entry, 0o640)
	closed := write(filepath.Join(home, "closed"), entry, 0o600)
	write(filepath.Join(home, ".pg_service.conf"), "[other]\npassfile="+closed+"\n[mine]\nhost=h\npassfile="+open+"\n", 0o600)
	quoted := "'" + open + "'"
	encoded := strings.ReplaceAll(open, " ", "%20")
	world := write(filepath.Join(home, "world"), entry, 0o604)
	for _, c := range []struct {
		name, dsn string
		env       map[string]string
		warning   string // the file it is about
		password  string
	}{
		{"keywords", "host=h passfile=" + quoted, nil, open, ""},
		{"keywords, the last counts", "passfile=" + quoted + " host=h passfile=" + closed, nil, "", "s3cret"},
		{"a URL", "postgres://u@h/d?passfile=" + encoded, nil, open, ""},
		{"a URL with more", "postgres://u@h?sslmode=disable&passfile=" + encoded + "&user=a@b", nil, open, ""},
		{"a closed one", "postgres://u@h/d?passfile=" + closed, nil, "", "s3cret"},
		{"the variable", "", map[string]string{"PGPASSFILE": world}, world, ""},
		{"the variable and a URL", "postgres://h", map[string]string{"PGPASSFILE": open}, open, ""},
		{"the variable and a password", "postgres://u:x?y@h", map[string]string{"PGPASSFILE": open}, "", "x?y"},
		{"the variable and PGPASSWORD", "host=h", map[string]string{"PGPASSFILE": open, "PGPASSWORD": "p"}, "", "p"},
		{"the connection string wins", "host=h passfile=" + closed, map[string]string{"PGPASSFILE": open}, "", "s3cret"},
		{"a service", "service=mine", nil, open, ""},
		{"a service by the variable", "", map[string]string{"PGSERVICE": "other", "PGPASSFILE": open}, "", "s3cret"},
		{"no such file", "host=h passfile=/nosuch", nil, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			ready, warning, err := Prepare(c.dsn)
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if c.warning != "" {
				want = `WARNING: password file "` + c.warning + `" has group or world access; permissions should be u=rw (0600) or less`
			}
			if warning != want {
				t.Errorf("warning %q, want %q", warning, want)
			}
			config, err := pgconn.ParseConfig(ready)
			if err != nil {
				t.Fatal(err)
			}
			if config.Password != c.password {
				t.Errorf("the password is %q, want %q", config.Password, c.password)
			}
			if _, sent := config.RuntimeParams["passfile"]; sent {
				t.Error("the file's name goes to the server")
			}
		})
	}
	write(filepath.Join(home, ".pgpass"), entry, 0o644)
	if ready, warning, err := Prepare(""); err != nil || !strings.Contains(warning, ".pgpass") || ready == "" {
		t.Errorf("~/.pgpass: %q, %q, %v", ready, warning, err)
	}
	if _, warning, err := Prepare("passfile=" + home); err != nil || warning != `WARNING: password file "`+home+`" is not a plain file` {
		t.Errorf("a folder: %q, %v", warning, err)
	}
}

// What is added leaves the password as it is.
func TestComplete(t *testing.T) {
	t.Parallel()
	given := [][2]string{{"host", "/tmp/a b"}, {"port", "77"}, {"user", "it's"}}
	for dsn, want := range map[string]string{
		"postgres://":                      "/tmp/a b|77|it's|",
		"postgres://v@/d":                  "/tmp/a b|77|v|",
		"postgres://:p@/d":                 "/tmp/a b|77|it's|p",
		"postgres://v:p#q?r@other/d":       "other|77|v|p#q?r",
		"postgres://v:1#q@other:88":        "other|88|v|1#q",
		"postgresql://[::1]:88/d":          "::1|88|it's|",
		"postgresql://[::1]/d":             "::1|77|it's|",
		"postgresql:///d?host=/x&user=q@r": "/x|77|q@r|",
	} {
		c, err := pgconn.ParseConfig(Complete(dsn, given))
		if err != nil {
			t.Errorf("%s: %v", dsn, err)
			continue
		}
		port := map[uint16]string{77: "77", 88: "88"}[c.Port]
		if got := strings.Join([]string{c.Host, port, c.User, c.Password}, "|"); got != want {
			t.Errorf("%s: %s, want %s", dsn, got, want)
		}
	}
}

func FuzzPrepare(f *testing.F) {
	f.Add("postgres://u:Pw/x@y#z@h/db")
	f.Add("host=h password='a b' passfile=x")
	f.Fuzz(func(t *testing.T, dsn string) {
		if strings.Contains(dsn, "service") || strings.Contains(dsn, "file") {
			return // they open what they name
		}
		ready, _, err := Prepare(dsn)
		if err != nil {
			return
		}
		if _, err := pgconn.ParseConfig(ready); err != nil {
			t.Errorf("%q: %v", dsn, err)
		}
	})
}

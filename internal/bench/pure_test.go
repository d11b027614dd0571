package bench

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"qbench/internal/conninfo"
	"qbench/schema"
)

func TestMixLayout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names        []string
		wanted, want string
		err          string
	}{
		{[]string{"skip-locked"}, "", schema.Plain, ""},
		{[]string{"skip-locked"}, schema.Partitioned, schema.Partitioned, ""},
		{[]string{"partitioned"}, "", schema.Partitioned, ""},
		{[]string{"skip-locked", "partitioned"}, "", schema.Partitioned, ""},
		{[]string{"advisory-lock"}, schema.Partitioned, "", `"advisory-lock" does not fit the layout "partitioned"`},
		{[]string{"advisory-lock", "partitioned"}, "", "", "no layout fits all of advisory-lock+partitioned"},
	} {
		got, err := mix(t, c.names...).Layout(c.wanted)
		if c.err != "" {
			wantError(t, err, c.err)
		} else if err != nil || got != c.want {
			t.Errorf("%v in %q: %q, %v, want %q", c.names, c.wanted, got, err, c.want)
		}
	}
}

func TestResolveUnlogged(t *testing.T) {
	t.Parallel()
	spec := small(mix(t, "skip-locked"))
	spec.Queue.Unlogged = true
	if got := resolved(t, spec).Queue.Layout; got != schema.Unlogged {
		t.Errorf("plain and --unlogged is %q", got)
	}
	spec.Mix = mix(t, file(t, "-- qbench: workload = orders\n-- qbench: layouts = plain\nselect 1 from t_order_q;\n"))
	_, err := spec.Resolve()
	wantError(t, err, `does not fit the layout "unlogged"`)
	spec.Clients = 0
	_, err = spec.Resolve()
	wantError(t, err, "0 clients cannot run")
}

func TestLocksPerClient(t *testing.T) {
	t.Parallel()
	spec := small(mix(t, "skip-locked"))
	spec.Queue.Layout, spec.Queue.Partitions = schema.Partitioned, 256
	// The source counts 513 locks of a dequeue through the parent.
	if n := spec.LocksPerClient(); n < 513 {
		t.Errorf("%d locks for 256 partitions, want at least 513", n)
	}
	spec.Mix = mix(t, "partitioned")
	if n := spec.LocksPerClient(); n > 64 {
		t.Errorf("%d locks for one partition", n)
	}
}

func TestWeightsOfZero(t *testing.T) {
	t.Parallel()
	_, err := LoadMix(Part{"skip-locked", 0})
	wantError(t, err, "the weights of all scripts are 0")
}

// Whatever the password, it is in no error and no record.
func TestNoPasswordIsShown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		password := "PW" + rapid.StringMatching(`[ -~]{0,12}`).Draw(t, "password") + "WP"
		dsn := rapid.SampledFrom([]string{
			"postgres://u:" + password + "@h/db",
			"postgres://u:" + url.QueryEscape(password) + "@h:1/db?sslmode=disable",
			"postgresql://h/db?user=u&password=" + password,
			"host=h user=u password='" + password + "' dbname=db",
			"host=h password = " + password + " port=x",
			"postgres://u:" + password + "@h:port/db",
		}).Draw(t, "dsn")
		shown := conninfo.Redact(dsn)
		if tg, err := NewTarget(dsn, ""); err != nil {
			shown += "\n" + err.Error()
		} else {
			shown += "\n" + tg.String()
		}
		for _, part := range []string{"PW", "WP", password} {
			if strings.Contains(shown, part) {
				t.Fatalf("%q of %q is shown: %s", part, dsn, shown)
			}
		}
	})
}

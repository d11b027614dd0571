package report

import (
	"slices"
	"strings"
	"testing"

	"qbench/internal/result"
)

// differences are ways in which one run can differ from another, and how its row
// names it.
var differences = []struct {
	name   string
	change func(*result.Configuration)
}{
	{"server=18", func(c *result.Configuration) { c.ServerMajor = 18 }},
	{"synchronous_commit=off", func(c *result.Configuration) {
		c.Settings = result.Assign(map[string]string{"synchronous_commit": "off"})
	}},
	{"index=partial", func(c *result.Configuration) { c.Index = "partial" }},
	{"payload-bytes=100", func(c *result.Configuration) { c.PayloadBytes = 100 }},
	{"pool=4", func(c *result.Configuration) { c.Pool = 4 }},
	{"orders=5", func(c *result.Configuration) { c.SeededOrders = 5 }},
	{"seed=43", func(c *result.Configuration) { c.BaseSeed = 43 }},
	{"rate=100", func(c *result.Configuration) { c.Rate = 100 }},
	{"time=60", func(c *result.Configuration) { c.WantDurationS = 60 }},
	{"warmup=5", func(c *result.Configuration) { c.WarmupS = 5 }},
	{"max-tries=3", func(c *result.Configuration) { c.MaxTries = 3 }},
	{"connect=yes", func(c *result.Configuration) { c.Reconnect = true }},
	{"enqueue-rate=50", func(c *result.Configuration) { c.Enqueue.Rate = 50 }},
	{"notify=yes", func(c *result.Configuration) { c.Enqueue.Notify = true }},
	{"batch=10", func(c *result.Configuration) { c.Params = result.Assign(map[string]string{"batch": "10"}) }},
}

// What differs is a row of its own in every format, and its name says by what.
func TestWhatDiffersIsARowOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, d := range differences {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			run := func(change func(*result.Configuration)) *result.Run {
				r := newRun("skip-locked", 8, 10, 1, 12_000, 0)
				r.ServerMajor, r.Settings = 15, result.Assign(map[string]string{"synchronous_commit": "on"})
				change(&r.Configuration)
				return r
			}
			f := fileOf(run(func(*result.Configuration) {}), run(d.change))
			if k := rank(f.Runs); len(k.entries) != 2 || k.repeats {
				t.Fatalf("%d rows", len(k.entries))
			}
			same := fileOf(run(d.change), run(d.change))
			if k := rank(same.Runs); len(k.entries) != 1 || k.entries[0].strategy != "skip-locked" {
				t.Errorf("%d rows of equal runs, the first named %q", len(k.entries), k.entries[0].strategy)
			}
			for _, name := range []string{"text", "table", "markdown", "csv", "html", "benchfmt", "hgrm"} {
				format, err := OfRuns.Lookup(name)
				if err != nil {
					t.Fatal(err)
				}
				page := strings.ReplaceAll(render(t, format, f, Options{Width: 200}), `\_`, "_")
				if !strings.Contains(page, d.name) {
					t.Errorf("%s does not name %s:\n%s", name, d.name, page[max(0, len(page)-2000):])
				}
			}
		})
	}
}

// Any two rows of a ranking have different titles, whatever differs.
func TestRowsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	var runs []*result.Run
	for _, strategy := range []string{"a", "b"} {
		for i := range differences {
			for j := range differences {
				r := newRun(strategy, 1, 1, 1, 10, 0)
				differences[i].change(&r.Configuration)
				differences[j].change(&r.Configuration)
				runs = append(runs, r)
			}
		}
	}
	// Two ways to say the same of a layout.
	for _, unlogged := range []bool{false, true} {
		r := newRun("a", 1, 1, 1, 10, 0)
		r.Layout, r.Unlogged = "unlogged", unlogged
		runs = append(runs, r)
	}
	k := rank(runs)
	if want := len(distinct(runs)); len(k.entries) != want {
		t.Errorf("%d rows of %d configurations", len(k.entries), want)
	}
	seen := map[string]bool{}
	for i := range k.entries {
		if title := k.entries[i].title(); seen[title] {
			t.Errorf("two rows are named %s", title)
		} else {
			seen[title] = true
		}
	}
}

// Where the page is too narrow for a name, what differs is said below the table.
func TestDifferencesAreNeverCut(t *testing.T) {
	t.Parallel()
	f := cases()["fed"]
	for _, width := range []int{40, 60, 80, 120} {
		text := strings.Join(strings.Fields(render(t, Table, f, Options{Width: width})), " ")
		for _, part := range []string{"index=partial", "payload-bytes=100", "pool=2", "enqueue-rate=1800", "notify=yes"} {
			if !strings.Contains(text, part) {
				t.Errorf("%d columns: %s is cut:\n%s", width, part, text)
			}
		}
	}
}

// Runs of several files keep what they were made on.
func TestEachEnvironmentIsSaid(t *testing.T) {
	t.Parallel()
	a, b, c := newRun("a", 8, 10, 1, 100, 0), newRun("b", 8, 10, 1, 100, 0), newRun("c", 8, 10, 1, 100, 0)
	other := testEnvironment
	other.ServerVersion, other.HostCores = "18.1", 64
	b.Env = &other
	f := fileOf(a, b, c)
	got := environments(f)
	if len(got) != 2 || got[0].runs != "1, 3" || got[1].runs != "2" {
		t.Fatalf("%+v", got)
	}
	for _, name := range []string{"text", "markdown", "html", "csv", "benchfmt"} {
		format, err := OfRuns.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if page := render(t, format, f, Options{}); !strings.Contains(page, "15.18") || !strings.Contains(page, "18.1") {
			t.Errorf("%s does not name both servers", name)
		}
	}
	if text := render(t, Text, f, Options{Width: 200}); strings.Count(text, "15% of 2 cores") != 2 || strings.Count(text, "15% of 64 cores") != 1 {
		t.Error("the machine of the first file is taken for that of all runs")
	}
	if !slices.Contains(strings.Split(render(t, Benchfmt, f, Options{}), "\n"), "server-version: 18.1") {
		t.Error("benchfmt has no configuration line for the second server")
	}
}

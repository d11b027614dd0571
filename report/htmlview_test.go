package report

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"qbench/internal/result"
)

// bigMatrix is 4 strategies at 4 client counts, a minute each.
func bigMatrix() *result.File {
	var runs []*result.Run
	for i, strategy := range []string{"for-update", "skip-locked", "advisory-lock", "partitioned-skip-locked"} {
		for _, clients := range []int{1, 8, 64, 256} {
			n := int64(9_000*(i+1) + 10*clients)
			runs = append(runs, newRun(strategy, clients, 60, 0.4+float64(i+1)*float64(clients)/16, n, n*int64(i)/10))
		}
	}
	return fileOf(runs...)
}

func TestHTMLOfAMatrixIsSmall(t *testing.T) {
	t.Parallel()
	if size := len(render(t, HTML, bigMatrix(), Options{})); size >= 1<<20 {
		t.Errorf("%d bytes, limit 1 MiB", size)
	}
	long := newRun("skip-locked", 8, 3600, 1, 5_000, 0)
	if size := len(render(t, HTML, fileOf(long), Options{})); size >= 1<<17 {
		t.Errorf("%d bytes for a run of an hour: intervals are not merged", size)
	}
}

// dayOf is a run of a day: an interval for each second, with its histogram.
func dayOf(strategy string, clients int) *result.Run {
	r := newRun(strategy, clients, 60, 1, 5_000, 0)
	minute := r.Intervals
	r.Intervals = nil
	for s := range 86_400 {
		t := minute[s%len(minute)]
		t.AtS = float64(s + 1)
		r.Intervals = append(r.Intervals, t)
	}
	r.DurationS, r.WantDurationS = 86_400, 86_400
	return r
}

// The page of a day, and of many configurations side by side, stays small, and says what
// became of the intervals.
func TestHTMLOfADayIsSmall(t *testing.T) {
	t.Parallel()
	page := render(t, HTML, fileOf(dayOf("skip-locked", 8)), Options{})
	if len(page) >= 1<<18 {
		t.Errorf("%d bytes for a day", len(page))
	}
	if !strings.Contains(page, "a point stands for up to 720 of them") {
		t.Error("the page does not say that intervals were merged")
	}
	if page := render(t, HTML, matrix(), Options{}); strings.Contains(page, "were merged") {
		t.Error("nothing was merged")
	}
	var days []*result.Run
	long := newRun("skip-locked", 1, 240, 1, 5_000, 0)
	for clients := range 100 {
		r := *long
		r.Clients = clients + 1
		days = append(days, &r)
	}
	if size := len(render(t, HTML, fileOf(days...), Options{})); size >= 2<<20 {
		t.Errorf("%d bytes for 100 configurations", size)
	}
}

// dataOf reads the block that the page's script draws.
func dataOf(t *testing.T, page string) chartData {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script type="application/json" id="data">`)
	if !ok {
		t.Fatal("no data block")
	}
	block, _, _ := strings.Cut(rest, "</script>")
	var d chartData
	if err := json.NewDecoder(strings.NewReader(block)).Decode(&d); err != nil {
		t.Fatalf("%v in %.200s", err, block)
	}
	return d
}

func TestHTMLData(t *testing.T) {
	t.Parallel()
	d := dataOf(t, render(t, HTML, matrix(), Options{}))
	if len(d.Entries) != 8 || d.Unit != "orders/s" {
		t.Fatalf("%d entries in %s", len(d.Entries), d.Unit)
	}
	for _, e := range d.Entries {
		if len(e.Time) != 5 || len(e.Rate) != 5 || len(e.TailMS) != 5 || e.Heat == nil || len(e.Heat.Starts) != 6 {
			t.Errorf("%s: not 5 intervals: %+v", e.Name, e)
			continue
		}
		var n int64
		for _, column := range e.Heat.Counts {
			for _, c := range column {
				n += c
			}
		}
		if n != 5*200 {
			t.Errorf("%s: %d samples in the heat map, want 1,000", e.Name, n)
		}
		for i := 1; i < len(e.Spectrum); i++ {
			if a, b := e.Spectrum[i-1], e.Spectrum[i]; b[0] <= a[0] || b[1] < a[1] {
				t.Errorf("%s: the spectrum falls: %v, %v", e.Name, a, b)
			}
		}
	}
	if last := d.Entries[7]; last.Valid || last.Name != "for-update (plain)" {
		t.Errorf("the entry whose audit failed: %+v", last)
	}
}

func TestLongRunsKeepTheirTotals(t *testing.T) {
	t.Parallel()
	r := newRun("skip-locked", 8, 1000, 1, 5_000, 0)
	e := dataOf(t, render(t, HTML, fileOf(r), Options{})).Entries[0]
	if len(e.Time) > maxColumns {
		t.Fatalf("%d columns", len(e.Time))
	}
	want, got := 0.0, 0.0
	for _, tick := range r.Intervals {
		want += tick.OrdersPerS * tick.LengthS
	}
	for i := range e.Time {
		got += float64(e.Rate[i]) * float64(e.Heat.Starts[i+1]-e.Heat.Starts[i])
	}
	if got < want*0.999 || got > want*1.001 {
		t.Errorf("%v orders over all columns, %v over all intervals", got, want)
	}
}

// Names are user input: the name of a script file can hold anything.
func TestHTMLEscapes(t *testing.T) {
	t.Parallel()
	evil := `</script><script>console.error("x")</script><img src=x onerror=alert(1)>"'` + "`${1}"
	r := newRun(evil, 8, 5, 1, 100, 0)
	r.Layout, r.Errors, r.Warnings = evil, []string{evil}, []string{evil}
	r.Audit = &result.Audit{Problems: []string{evil}}
	f := &result.File{Runs: []*result.Run{r}, Environment: testEnvironment}
	f.Environment.Args = []string{evil}
	f.Environment.Settings = map[string]string{evil: evil}
	page := render(t, HTML, f, Options{})
	if n := strings.Count(page, "<script"); n != 2 {
		t.Errorf("%d script elements, want 2", n)
	}
	if strings.Contains(page, "<img") {
		t.Error("an element out of a name")
	}
	if got := dataOf(t, page).Entries[0].Name; got != evil {
		t.Errorf("the name arrives as %q", got)
	}
}

// The page must work offline: nothing in it names another place.
func TestHTMLIsSelfContained(t *testing.T) {
	t.Parallel()
	page := render(t, HTML, matrix(), Options{})
	for _, pattern := range []string{`<link`, `\bsrc=`, `@import`, `url\(`, `\bfetch\(`, `XMLHttpRequest`, `\bimport\(`, `href=`} {
		if found := regexp.MustCompile(pattern).FindString(page); found != "" {
			t.Errorf("%q in the page", found)
		}
	}
	for _, url := range regexp.MustCompile(`https?://[^"'\s)]+`).FindAllString(page, -1) {
		if url != "http://www.w3.org/2000/svg" {
			t.Errorf("the page names %s", url)
		}
	}
}

func TestHTMLOfEveryCase(t *testing.T) {
	t.Parallel()
	for name, f := range cases() {
		var b bytes.Buffer
		if err := HTML(&b, f, Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		dataOf(t, b.String())
		for _, r := range f.Runs {
			if r.Audit != nil && !r.Audit.OK && !strings.Contains(b.String(), "Audit failed: ") {
				t.Errorf("%s: the failed audit is not said", name)
			}
		}
	}
}

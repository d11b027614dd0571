package report

import (
	"fmt"
	"strings"

	"qbench/internal/result"
)

// pageView is what the page shows: strings and numbers, ready to be escaped.
type pageView struct {
	Title       string
	Failed      []failedAudit
	Unaudited   []string    // names of runs
	Aborted     [][2]string // a configuration, and what became of its clients
	Warnings    []string
	Entries     []entryView
	Runs        []runView
	Fed         []runView // those with producers
	ByOrders    bool
	Repeats     bool
	Environment [][2]string
	Data        chartData // for the script
	Merged      int       // the most intervals that one point of a chart stands for
}

type failedAudit struct {
	Run      string
	Problems []string
}

// entryView is a line of the ranking.
type entryView struct {
	Place, Strategy, Layout, Mode      string
	Audit, Aborted                     string
	Clients, Runs                      int
	Ranked, Valid                      bool
	Score, Min, Max, TPS, Ratio, Width float64
	Empty, P50, P99                    float64
	Latency                            result.Latency // of all samples of all repeats
}

// runView is a line of the table of all runs.
type runView struct {
	*result.Run
	LayoutName string
	State      AuditState
	Counted    bool // the audit has counts
	Failed     int64
	Problems   string
}

func newPageView(f *result.File) *pageView {
	k := rank(f.Runs)
	v := &pageView{Title: "qbench", ByOrders: k.byOrders, Repeats: k.repeats, Environment: environmentRows(&f.Environment)}
	if len(k.entries) > 0 {
		v.Title = fmt.Sprintf("qbench: %s", strategies(&k))
	}
	if k.warning != "" {
		v.Warnings = append(v.Warnings, k.warning)
	}
	for _, g := range groupWarnings(f.Runs) {
		v.Warnings = append(v.Warnings, g.text+g.which(len(f.Runs)))
	}
	for i := range k.entries {
		e := &k.entries[i]
		v.Entries = append(v.Entries, newEntryView(&k, e))
		if e.aborted.runs > 0 {
			v.Aborted = append(v.Aborted, [2]string{e.title(), e.aborted.text()})
		}
		for _, r := range e.runs {
			run := runView{Run: r, LayoutName: layoutName(r), State: AuditOf(r), Counted: r.Audit.Made(), Failed: r.Failed()}
			switch AuditOf(r) {
			case AuditFailed:
				list := problems(r.Audit)
				v.Failed = append(v.Failed, failedAudit{describe(r), list})
				run.Problems = strings.Join(list, "; ")
			case AuditMissing:
				v.Unaudited = append(v.Unaudited, describe(r)+whyMissing(r))
				run.Problems = "not audited" + whyMissing(r)
			}
			v.Runs = append(v.Runs, run)
			if r.Steady != nil {
				v.Fed = append(v.Fed, run)
			}
		}
	}
	v.Data = newChartData(&k)
	v.Merged = v.Data.merged
	return v
}

// strategies names those of a ranking once each, in the order of their places.
func strategies(k *ranking) string {
	var names []string
	seen := map[string]bool{}
	for i := range k.entries {
		if name := clean(k.entries[i].runs[0].Strategy); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

func newEntryView(k *ranking, e *entry) entryView {
	score := e.ordersPerS
	if !k.byOrders {
		score = e.tps
	}
	v := entryView{
		Place: "-", Strategy: e.strategy, Layout: e.layout, Mode: e.mode, Audit: e.audit.String(), Aborted: e.aborted.worst(),
		Clients: e.clients, Runs: len(e.runs), Ranked: e.place > 0, Valid: e.audit.Proved(),
		Score: score.median, Min: score.min, Max: score.max, TPS: e.tps.median, Ratio: e.ratio,
		Width: 100 * max(0, min(1, e.ratio)),
		Empty: e.emptyPercent, P50: e.p50.median, P99: e.p99.median,
	}
	if e.place > 0 {
		v.Place = fmt.Sprint(e.place)
	}
	// The tail of all repeats together needs their samples; where a file kept
	// none, the first run's own summary is all that is known.
	v.Latency = e.runs[0].Latency
	if h := MergeLatencies(e.runs); h != nil {
		v.Latency = h.Latency()
	}
	return v
}

func environmentRows(e *result.Environment) [][2]string {
	server := "PostgreSQL " + e.ServerVersion
	if e.Disposable {
		server += ", started by qbench"
	}
	var rows [][2]string
	for _, row := range [][2]string{
		{"Server", server}, {"Settings", strings.Join(pairs(e.Settings), ", ")}, {"Machine", hostText(e)},
		{"qbench", e.QbenchVersion}, {"Command line", strings.Join(e.Args, " ")},
	} {
		if row[1] != "" {
			rows = append(rows, row)
		}
	}
	if !e.StartedAt.IsZero() {
		rows = append(rows, [2]string{"Started", e.StartedAt.Format("2006-01-02 15:04:05 -0700")})
	}
	return rows
}

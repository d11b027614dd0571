package report

import (
	"fmt"
	"strings"

	"qbench/internal/result"
)

// pageView is what the page shows: strings and numbers, ready to be escaped.
type pageView struct {
	Title, Server, Unit string
	Failed              []failedAudit
	Unaudited           []string    // names of runs
	Aborted             [][2]string // a configuration, and what became of its clients
	Warnings            []string
	Entries             int
	ByOrders, Repeats   bool
	Ranking, Audit      *htmlTable
	Statements, Details []titledTable
	Notes               []string      // what the numbers of single runs mean
	Environments        [][][2]string // rows of names and values
	Data                chartData     // for the script
	Merged              int           // the most intervals that one point of a chart stands for
}

type failedAudit struct {
	Run      string
	Problems []string
}

type titledTable struct {
	Title string
	Table *htmlTable
}

func newPageView(f *result.File) *pageView {
	k := rank(f.Runs)
	v := &pageView{Title: "qbench", Unit: scoreTitle(k.byOrders), ByOrders: k.byOrders, Repeats: k.repeats, Entries: len(k.entries)}
	var servers []string
	for _, e := range environments(f) {
		v.Environments = append(v.Environments, environmentRows(e))
		servers = append(servers, serverText(e.Environment))
	}
	v.Server = strings.Join(servers, "; ")
	if k.warning != "" {
		v.Warnings = append(v.Warnings, k.warning)
	}
	for _, g := range groupWarnings(f.Runs, k.names) {
		v.Warnings = append(v.Warnings, g.text+g.which(len(f.Runs)))
	}
	for i := range k.entries {
		e := &k.entries[i]
		if e.aborted.runs > 0 {
			v.Aborted = append(v.Aborted, [2]string{e.title(), e.aborted.text()})
		}
		for _, r := range e.runs {
			switch AuditOf(r) {
			case AuditFailed:
				v.Failed = append(v.Failed, failedAudit{k.names.describe(r), problems(r.Audit)})
			case AuditMissing:
				v.Unaudited = append(v.Unaudited, k.names.describe(r)+whyMissing(r))
			}
			if text := whyAverage(r); text != "" && len(f.Runs) == 1 {
				v.Notes = append(v.Notes, strings.Replace(text, " above", "", 1)+".")
			}
			if s := r.Steady; s != nil {
				v.Notes = append(v.Notes, k.names.describe(r)+": depth "+trendText(&s.Depth)+waitingText(s)+".")
			}
		}
	}
	v.Data = newChartData(&k)
	v.Merged = v.Data.merged
	if len(k.entries) == 0 {
		return v
	}
	v.Title = fmt.Sprintf("qbench: %s", strategies(&k))
	runs := k.runs()
	v.Ranking, v.Audit = newHTMLTable(k.table()), newHTMLTable(auditTable(runs, k.names))
	for _, s := range k.statements() {
		v.Statements = append(v.Statements, titledTable{s.title, newHTMLTable(s.table)})
	}
	for _, t := range metricTables(runs, k.names) {
		v.Details = append(v.Details, titledTable{t.title, newHTMLTable(t.table)})
	}
	return v
}

// runs lists all runs in the order of the ranking.
func (k *ranking) runs() []*result.Run {
	var out []*result.Run
	for i := range k.entries {
		out = append(out, k.entries[i].runs...)
	}
	return out
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

func environmentRows(e environment) [][2]string {
	var rows [][2]string
	for _, row := range [][2]string{
		{"Runs", e.runs}, {"Server", serverText(e.Environment)}, {"Settings", strings.Join(pairs(e.Settings), ", ")}, {"Machine", hostText(e.Environment)},
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

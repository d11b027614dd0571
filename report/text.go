package report

import (
	"fmt"
	"io"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// Text writes what a person reads after a run: a failed audit above all
// numbers, pgbench's block, and below it what pgbench does not know. Several
// runs end in the table of Table, and the environment closes the report.
//
// Apart from pgbench's block, which stays as pgbench prints it, no line is
// wider than Options.Width.
func Text(w io.Writer, f *result.File, o Options) error {
	p := newPage(o)
	k := rank(f.Runs)
	for i, r := range f.Runs {
		if i > 0 {
			p.line("")
		}
		if len(f.Runs) > 1 {
			p.heading(fmt.Sprintf("run %d of %d: %s", i+1, len(f.Runs), naming{}.describe(r)))
			if differs := k.names[r.Configuration]; len(differs) > 0 {
				p.labelled("differs by", "%s", strings.Join(differs, " "))
				p.line("")
			}
		}
		p.run(r, envOf(r, f))
	}
	if len(f.Runs) > 1 {
		p.line("")
		p.heading("all runs")
		if err := p.ranking(&k); err != nil {
			return err
		}
	}
	for _, e := range environments(f) {
		p.line("")
		if e.runs != "" {
			p.labelled("runs", "%s", e.runs)
		}
		p.environment(e.Environment)
	}
	return p.writeTo(w)
}

func (p *page) run(r *result.Run, env *result.Environment) {
	p.verdict(r)
	p.pgbench(r)
	p.line("")
	p.outcome(r)
	p.work(r)
	p.deadlocks(r)
	p.orderLatency(r)
	if r.Producers != nil {
		p.producers(r)
	}
	p.roundTrips(r)
	if r.Partition != nil {
		u := r.Partition
		p.labelled("partitions", "%s of %s untouched; %s left, %s to %s in a partition",
			amount.Grouped(int64(u.Untouched)), amount.Grouped(int64(u.Partitions)), amount.Count(u.Left, "order"), amount.Grouped(u.Min), amount.Grouped(u.Max))
	}
	p.audit(r)
	p.client(r, env)
	p.charts(r)
	p.warnings(r.Warnings)
}

// verdict stands above all numbers where they mean nothing.
func (p *page) verdict(r *result.Run) {
	start := p.Len()
	switch AuditOf(r) {
	case AuditFailed:
		p.wrap("", "", alarm, "AUDIT FAILED: orders were not handled exactly once, the numbers of this run are invalid")
		for _, problem := range problems(r.Audit) {
			p.wrap("  - ", "    ", alarm, problem)
		}
	case AuditMissing:
		p.wrap("", "", alarm, "NOT AUDITED: nothing proves that each order was handled exactly once")
		if r.Audit != nil && r.Audit.Reason != "" {
			p.wrap("  - ", "    ", alarm, clean(r.Audit.Reason))
		}
	}
	if n := r.AbortedClients; n > 0 && n >= allClients(r) {
		p.wrap("", "", alarm, "ALL CLIENTS WERE ABORTED; first cause: "+firstCause(r))
	}
	if p.Len() > start {
		p.line("")
	}
}

// problems are the audit's own sentences or, where it left none, its counts.
func problems(a *result.Audit) []string {
	if len(a.Problems) > 0 {
		return a.Problems
	}
	var out []string
	for _, c := range []struct {
		n    int64
		what string
	}{
		{a.Lost, "lost: in neither table"},
		{a.Duplicated, "duplicated: more than one row in a table"},
		{a.Both, "both in the queue and processed"},
		{a.Foreign, "foreign: not of the set that was seeded or enqueued"},
		{a.Orphans, "claimed but never completed"},
	} {
		if c.n != 0 {
			out = append(out, amount.Count(c.n, "order")+" "+c.what)
		}
	}
	if len(out) == 0 || a.Acknowledged > a.Processed || a.Acknowledged < a.Processed-a.InDoubt && !a.InDoubtUnknown {
		out = append(out, fmt.Sprintf("the clients counted %s, the result table holds %s (%s in doubt)",
			amount.Count(a.Acknowledged, "order"), amount.Grouped(a.Processed), amount.AtLeast(a.InDoubt, a.InDoubtUnknown)))
	}
	return out
}

// outcome says how the run ended, where that was not as asked for.
func (p *page) outcome(r *result.Run) {
	if r.Interrupted {
		p.labelled("interrupted", "after %s; the numbers are of what was done until then", seconds(r.DurationS))
	}
	if r.AbortedClients > 0 {
		p.labelled("aborted", "%s; the results are incomplete", Aborted(r))
	}
	for i, e := range r.Errors {
		if i == 0 {
			p.wrap(padRight("first cause", labelWidth), strings.Repeat(" ", labelWidth), alarm, e)
			continue
		}
		p.wrap(strings.Repeat(" ", labelWidth)+"- ", strings.Repeat(" ", labelWidth+2), alarm, e)
	}
	if r.Drained {
		note := ""
		if r.WantDurationS > 0 {
			note = " of the " + seconds(r.WantDurationS) + " asked for"
		}
		p.labelled("drained", "after %s%s: every order is done, the rates end there", seconds(r.DurationS), note)
	}
}

// work is what the run is about: orders, and the transactions that were none.
func (p *page) work(r *result.Run) {
	if !r.CountsOrders {
		p.labelled("orders", "not counted: no statement of the script is marked with \"-- qbench: orders\"")
		return
	}
	p.line("%-*s%s", labelWidth, "orders/s", p.paint(strong, significant(r.OrdersPerS)))
	p.labelled("orders", "%s in %s", amount.Grouped(r.Orders), seconds(r.DurationS))
	if r.Pool > 0 {
		p.labelled("pool", "%s shared by %s", amount.Count(int64(r.Pool), "connection"), amount.Count(int64(r.Clients), "client"))
	}
	p.labelled("empty", "%s", emptyText(r))
	if r.WarmupOrders > 0 {
		p.labelled("warm-up", "%s before the clock started", amount.Count(r.WarmupOrders, "order"))
	}
	if r.AfterDrain > 0 {
		p.labelled("after drain", "%s ended after the last order, not counted", amount.Count(r.AfterDrain, "transaction"))
	}
}

func emptyText(r *result.Run) string {
	if r.Empty == 0 {
		return "no transaction was empty"
	}
	text := fmt.Sprintf("%s, %s%% of all", amount.Count(r.Empty, "transaction"), amount.Number(percent(r.Empty, r.Transactions)))
	useful := r.Transactions - r.Empty
	switch {
	case useful <= 0:
		return text + ": tps counts nothing else"
	case r.Orders == useful:
		return text + fmt.Sprintf(": tps counts them, and so is %s%% more than orders/s", amount.Number(percent(r.Empty, useful)))
	default:
		return text + fmt.Sprintf(": tps counts them, and so is %s%% more than the rate of transactions that moved an order", amount.Number(percent(r.Empty, useful)))
	}
}

// roundTrips explains -r under -M pipelined, where statements that travel
// together share one measured time.
func (p *page) roundTrips(r *result.Run) {
	for i := range r.Scripts {
		trips := map[int][]string{}
		last := 0
		for n, st := range r.Scripts[i].Statements {
			if st.Group > 0 {
				trips[st.Group] = append(trips[st.Group], fmt.Sprint(n+1))
				last = max(last, st.Group)
			}
		}
		if last == 0 {
			continue
		}
		var parts []string
		for g := 1; g <= last; g++ {
			if len(trips[g]) > 0 {
				parts = append(parts, strings.Join(trips[g], "+"))
			}
		}
		p.labelled("round trips", "%d in script %d, of the commands %s; those of one round trip share its time",
			len(parts), i+1, strings.Join(parts, ", "))
	}
}

func (p *page) audit(r *result.Run) {
	a := r.Audit
	switch AuditOf(r) {
	case AuditNone:
		return
	case AuditMissing:
		p.wrap(padRight("audit", labelWidth), "  ", alarm, "NOT AUDITED")
		return
	case AuditOK:
		p.wrap(padRight("audit", labelWidth), "  ", good, "ok: each order was handled exactly once")
	default:
		p.wrap(padRight("audit", labelWidth), "  ", alarm, "FAILED: see above")
	}
	equal := "="
	if a.Seeded+a.Enqueued != a.Processed+a.Remaining {
		equal = "!="
		if p.Unicode {
			equal = "≠"
		}
	}
	fact := func(format string, args ...any) { p.wrap("  ", "    ", plain, fmt.Sprintf(format, args...)) }
	fact("seeded %s + enqueued %s %s processed %s + remaining %s",
		amount.Grouped(a.Seeded), amount.Grouped(a.Enqueued), equal, amount.Grouped(a.Processed), amount.Grouped(a.Remaining))
	orphans := ""
	if a.Orphans > 0 {
		orphans = fmt.Sprintf(", orphans %s", amount.Grouped(a.Orphans))
	}
	fact("lost %s, duplicated %s, in both tables %s, foreign %s%s",
		amount.Grouped(a.Lost), amount.Grouped(a.Duplicated), amount.Grouped(a.Both), amount.Grouped(a.Foreign), orphans)
	fact("acknowledged to the clients %s, in doubt %s", amount.Grouped(a.Acknowledged), amount.AtLeast(a.InDoubt, a.InDoubtUnknown))
}

func (p *page) client(r *result.Run, env *result.Environment) {
	c := &r.Client
	if c.CPUSeconds == 0 && c.MaxRSS == 0 {
		return
	}
	cores := "all cores"
	if env != nil && env.HostCores > 0 {
		cores = amount.Count(int64(env.HostCores), "core")
	}
	perOrder := ""
	if r.Orders > 0 {
		unit := "us"
		if p.Unicode {
			unit = "µs"
		}
		perOrder = fmt.Sprintf(", %s %s/order", amount.Number(c.CPUSeconds*1e6/float64(r.Orders)), unit)
	}
	whose := ""
	if r.Producers != nil {
		whose = " of clients and producers together"
	}
	p.labelled("client CPU", "%s%s (user %s, system %s), %s%% of %s%s",
		seconds(c.CPUSeconds), whose, seconds(c.UserSeconds), seconds(c.SysSeconds), amount.Number(100*c.CPUShare), cores, perOrder)
	p.labelled("client memory", "%s", mebibytes(c.MaxRSS))
}

func (p *page) warnings(warnings []string) {
	if len(warnings) > 0 {
		p.line("")
	}
	for _, text := range warnings {
		p.wrap("warning: ", "         ", caution, text)
	}
}

func (p *page) environment(e *result.Environment) {
	p.labelled("server", "%s", serverText(e))
	if len(e.Settings) > 0 {
		p.labelled("", "%s", strings.Join(pairs(e.Settings), ", "))
	}
	if host := hostText(e); host != "" {
		p.labelled("machine", "%s", host)
	}
	if e.QbenchVersion != "" {
		p.labelled("qbench", "%s", e.QbenchVersion)
	}
	if !e.StartedAt.IsZero() {
		p.labelled("started", "%s", e.StartedAt.Format("2006-01-02 15:04:05 -0700"))
	}
}

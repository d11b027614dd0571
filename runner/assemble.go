package runner

import (
	"slices"
	"time"

	"qbench/runner/script"
)

// end is the moment, in nanoseconds since GO, up to which the rates of a group
// are computed: of a drained queue the last acknowledged order, else the end of
// the group's last client, as in pgbench.
func (r *run) end(group int) int64 {
	var end int64
	for _, t := range r.threads {
		if group == 0 && r.drained.Load() {
			end = max(end, t.lastAck)
		} else {
			end = max(end, t.groups[group].end)
		}
	}
	if end == 0 {
		end = int64(time.Since(r.base))
	}
	return end
}

func (r *run) countsOrders() bool {
	return slices.ContainsFunc(r.programs[0], func(p *program) bool { return p.countsOrders })
}

// result puts together what the threads counted.
func (r *run) result(o *observer, startedAt time.Time, connected time.Duration) *Result {
	cfg := &r.cfg
	g := &cfg.Groups[0]
	res := &Result{
		Mode: cfg.Mode, Clients: g.Clients, Threads: len(r.lanes), Seed: cfg.Seed, StartedAt: startedAt, ScaleFactor: 1,
		WantDurationS: cfg.Duration.Seconds(), WantTransactions: cfg.Transactions, MaxTries: cfg.MaxTries,
		Rate: g.Rate, LatencyLimitMS: float64(cfg.LatencyLimit) / 1e6, Reconnect: cfg.Connect, PerStatement: cfg.PerStatement,
		Stats: *o.totals[0], Drained: r.drained.Load(), AbortedClients: int(r.aborted.Load()),
		CountsOrders: r.countsOrders(), Acknowledged: r.acked(), InitialConnMS: float64(connected) / 1e6, Intervals: o.ticks.list,
	}
	for _, text := range r.errors {
		if !slices.Contains(res.Errors, text) {
			res.Errors = append(res.Errors, text)
		}
	}
	seconds := r.seconds(0)
	res.DurationS = seconds
	res.Latency = res.LatencyHist.Latency()
	if res.LagHist != nil {
		lag := res.LagHist.Latency()
		res.Lag = &lag
	}
	var connecting time.Duration
	for _, t := range r.threads {
		connecting += t.connecting
		res.AfterDrain += t.groups[0].afterDrain
		res.WarmupOrders += t.groups[0].warmupOrders
	}
	d := r.inDoubt(0)
	res.InDoubt, res.InDoubtUnknown = d.orders, d.open
	if made := res.Transactions + res.Failed(); cfg.Connect && made > 0 {
		res.AverageConnMS = float64(connecting) / 1e6 / float64(made)
	}
	if seconds > 0 {
		res.TPS = float64(res.Transactions) / seconds
		res.OrdersPerS = float64(res.Orders) / seconds
	}
	res.ScriptResults = r.scriptResults(0, &res.Stats)
	if len(cfg.Groups) > 1 {
		res.Producers = r.groupResult(1, o.totals[1], r.seconds(1))
	}
	return res
}

// seconds is how long a group was measured.
func (r *run) seconds(group int) float64 {
	return max(0, float64(r.end(group)-r.measureFrom)/1e9)
}

func (r *run) inDoubt(group int) (d doubt) {
	for _, t := range r.threads {
		d.add(t.groups[group].doubt)
	}
	return d
}

func (r *run) groupResult(gi int, total *Stats, seconds float64) *GroupResult {
	g := &r.cfg.Groups[gi]
	out := &GroupResult{Clients: g.Clients, Rate: g.Rate, Stats: *total, Latency: total.LatencyHist.Latency(), Acknowledged: r.enqueued()}
	d := r.inDoubt(gi)
	out.InDoubt, out.InDoubtUnknown = d.orders, d.open
	if seconds > 0 {
		out.TPS = float64(total.Transactions) / seconds
		out.OrdersPerS = float64(total.Orders) / seconds
	}
	out.ScriptResults = r.scriptResults(gi, total)
	return out
}

// scriptResults lists a group's scripts. With a single one its statistics are
// the group's.
func (r *run) scriptResults(gi int, total *Stats) []ScriptResult {
	var out []ScriptResult
	for i, p := range r.programs[gi] {
		sr := ScriptResult{Name: p.Name, Weight: p.Weight}
		if len(r.programs[gi]) > 1 {
			for _, t := range r.threads {
				sr.Stats.Merge(t.groups[gi].scripts[i])
			}
			sr.Latency = sr.LatencyHist.Latency()
		} else {
			sr.Stats = *total
			sr.Stats.LatencyHist, sr.Stats.LagHist = nil, nil
			sr.Latency = total.LatencyHist.Latency()
		}
		if r.cfg.PerStatement {
			sr.Statements = r.statementResults(p)
		}
		out = append(out, sr)
	}
	return out
}

func (r *run) statementResults(p *program) []StatementResult {
	out := make([]StatementResult, len(p.steps))
	trip, block := 1, false
	for i := range p.steps {
		st := &p.steps[i]
		var sum statementStats
		for _, t := range r.threads {
			s := t.statements[p.index][i]
			sum.count += s.count
			sum.sum += s.sum
			sum.failures += s.failures
			sum.retries += s.retries
		}
		out[i] = StatementResult{Text: st.Text, Count: sum.count, Failures: sum.failures, Retries: sum.retries}
		if sum.count > 0 {
			out[i].MeanMS = sum.sum / float64(sum.count) / 1e6
		}
		if r.cfg.Mode != Pipelined {
			continue
		}
		block = (block || st.opens) && !st.closes
		switch {
		case st.Kind == script.SQL:
			out[i].Group = trip
			if !st.travelsOn(block) {
				trip++
			}
		case needsReplies(st.Kind) && i > 0 && out[i-1].Group == trip:
			trip++
		}
	}
	return out
}

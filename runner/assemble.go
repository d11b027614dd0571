package runner

import (
	"slices"
	"time"

	"qbench/internal/result"
	"qbench/runner/script"
	"qbench/runner/txn"
)

// load puts together what the loops counted.
func (r *run) load(o *observer, startedAt time.Time, connected time.Duration) *Load {
	out := &Load{
		StartedAt: startedAt, Threads: len(r.threads), Consumers: r.groupLoad(0, o.totals[0]), Drained: r.drained.Load(),
		AbortedClients: int(r.aborted.Load()), Connected: connected, Intervals: o.ticks.list,
	}
	out.Consumers.Acknowledged = r.acked()
	if len(r.cfg.groups()) > 1 {
		g := r.groupLoad(1, o.totals[1])
		g.Acknowledged = r.enqueued()
		out.Producers = &g
	}
	for _, text := range r.errors {
		if !slices.Contains(out.Errors, text) {
			out.Errors = append(out.Errors, text)
		}
	}
	var connecting time.Duration
	for _, l := range r.loops {
		connecting += l.connecting
		out.AfterDrain += l.groups[0].afterDrain
	}
	if made := out.Consumers.Transactions + out.Consumers.Failed(); r.cfg.Connect && made > 0 {
		out.AverageConnect = connecting / time.Duration(made)
	}
	return out
}

// seconds is how long a group was measured.
func (r *run) seconds(group int) float64 {
	return max(0, float64(r.end(group)-r.measureFrom)/1e9)
}

func (r *run) inDoubt(group int) (d txn.Doubt) {
	for _, l := range r.loops {
		d.Add(l.groups[group].doubt)
	}
	return d
}

func (r *run) groupLoad(gi int, total *result.Stats) GroupLoad {
	g := GroupLoad{Seconds: r.seconds(gi), Stats: *total, CountsOrders: countsOrders(r.programs[gi])}
	d := r.inDoubt(gi)
	g.InDoubt, g.InDoubtUnknown = d.Orders, d.Open
	for _, l := range r.loops {
		g.WarmupOrders += l.groups[gi].warmupOrders
	}
	g.Scripts = r.scriptResults(gi, total)
	return g
}

// scriptResults lists a group's scripts. With a single one its statistics are
// the group's.
func (r *run) scriptResults(gi int, total *result.Stats) []result.Script {
	var out []result.Script
	for i, p := range r.programs[gi] {
		sr := result.Script{Name: p.Name, Weight: p.Weight}
		if len(r.programs[gi]) > 1 {
			for _, l := range r.loops {
				sr.Stats.Merge(l.groups[gi].scripts[i])
			}
			sr.Latency = sr.All().Latency()
		} else {
			sr.Stats = *total
			sr.Stats.LatencyHist, sr.Stats.EmptyHist, sr.Stats.LagHist = nil, nil, nil
			sr.Latency = total.All().Latency()
		}
		if r.cfg.PerStatement {
			sr.Statements = r.statementResults(p)
		}
		out = append(out, sr)
	}
	return out
}

func (r *run) statementResults(p *program) []result.Statement {
	out := make([]result.Statement, len(p.steps))
	trip, block := 1, false
	for i := range p.steps {
		st := &p.steps[i]
		var sum statementStats
		for _, l := range r.loops {
			s := l.statements[p.index][i]
			sum.count += s.count
			sum.sum += s.sum
			sum.failures += s.failures
			sum.retries += s.retries
		}
		out[i] = result.Statement{Text: st.Text, Count: sum.count, Failures: sum.failures, Retries: sum.retries}
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

package bench

import (
	"qbench/internal/result"
	"qbench/runner"
	"qbench/schema"
)

// Compose makes the record of a load. What the runner does not know (strategy,
// tables, audit, server) is left to the caller.
func Compose(cfg runner.Config, load *runner.Load) *result.Run {
	c := &load.Consumers
	r := &result.Run{
		Configuration: loadConfiguration(&cfg),
		Seed:          cfg.Seed, Threads: load.Threads, StartedAt: load.StartedAt, PerStatement: cfg.PerStatement, ScaleFactor: 1,
		DurationS: c.Seconds, TPS: perSecond(c.Transactions, c.Seconds), OrdersPerS: perSecond(c.Orders, c.Seconds),
		Stats: c.Stats, Drained: load.Drained, AfterDrain: load.AfterDrain, Interrupted: load.Interrupted,
		AbortedClients: load.AbortedClients, Errors: load.Errors,
		Acknowledged: c.Acknowledged, WarmupOrders: c.WarmupOrders, InDoubt: c.InDoubt, InDoubtUnknown: c.InDoubtUnknown, CountsOrders: c.CountsOrders,
		InitialConnMS: float64(load.Connected) / 1e6, AverageConnMS: float64(load.AverageConnect) / 1e6,
		Latency: c.LatencyHist.Latency(), AllLatency: c.All().Latency(), Client: load.Client, Intervals: load.Intervals, Scripts: c.Scripts,
	}
	if c.EmptyHist != nil {
		empty := c.EmptyHist.Latency()
		r.EmptyLatency = &empty
	}
	if c.LagHist != nil {
		lag := c.LagHist.Latency()
		r.Lag = &lag
	}
	digest(c.Scripts, cfg.Consumers.Scripts)
	if p := load.Producers; p != nil {
		digest(p.Scripts, cfg.Producers.Scripts)
		r.Producers = &result.Producers{
			Clients: cfg.Producers.Clients, Rate: cfg.Producers.Rate, OrdersPerS: perSecond(p.Orders, p.Seconds), TPS: perSecond(p.Transactions, p.Seconds),
			Stats: p.Stats, Latency: p.All().Latency(), InDoubt: p.InDoubt, InDoubtUnknown: p.InDoubtUnknown,
			Acknowledged: p.Acknowledged, Scripts: p.Scripts,
		}
	}
	return r
}

// digest names the texts that were run: each script of the record stands at the
// place of its own.
func digest(record []result.Script, scripts []runner.Script) {
	for i := range record {
		record[i].Digest = result.Digest(scripts[i].Source)
	}
}

func perSecond(n int64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}

// loadConfiguration is the part of a configuration that the load decides.
func loadConfiguration(cfg *runner.Config) result.Configuration {
	g := &cfg.Consumers
	return result.Configuration{
		Mode: string(cfg.Mode), Clients: g.Clients, Pool: g.Pool, WarmupS: cfg.Warmup.Seconds(), WantDurationS: cfg.Duration.Seconds(),
		WantTransactions: cfg.Transactions, MaxTries: cfg.MaxTries, Rate: g.Rate, LatencyLimitMS: float64(cfg.LatencyLimit) / 1e6,
		Reconnect: cfg.Connect, BaseSeed: cfg.Seed,
	}
}

// configuration is what was asked for, on the tables that there are; made is
// nil without any.
func (s *Spec) configuration(cfg runner.Config, made *schema.Made, params map[string]string) result.Configuration {
	c := loadConfiguration(&cfg)
	c.Strategy, c.KeepData, c.OpenLoop, c.Params = s.Mix.Name, s.KeepData, s.OpenLoop, result.Assign(params)
	c.Jobs, c.BaseSeed = s.Jobs, s.Load.Seed
	if s.Setup != nil {
		c.Setup = s.Setup.Name
	}
	if f := s.Feed; f != nil {
		c.Enqueue = result.Enqueue{Producers: f.Clients, Rate: f.Rate, Batch: f.Batch, PollMS: float64(f.Poll) / 1e6, Notify: f.Notify}
	}
	if made != nil {
		c.Workload, c.Layout, c.Unlogged, c.Partitions, c.Index = made.Workload, made.Layout, made.Unlogged, made.Partitions, made.Index
		c.SeededOrders, c.PayloadBytes, c.Claimed = made.Orders, made.PayloadBytes, made.Claimed
		c.Priorities, c.Entrypoints = made.Priorities, made.Entrypoints
	}
	return c
}

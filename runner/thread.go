package runner

import (
	"time"

	"qbench/runner/script"
)

// thread is what pgbench calls a thread: a share of the clients with its own
// schedule, its own choice of scripts and its own log. Several threads ride on
// one event loop where more loops would only wake each other up.
type thread struct {
	index      int
	chooseRand script.Rand
	sampleRand script.Rand
	schedules  []schedule // by group
}

// schedule is a thread's Poisson process of starts for one group.
type schedule struct {
	delay float64 // mean time between starts, microseconds
	last  int64   // last scheduled start, nanoseconds since GO
	rand  script.Rand
}

// next draws the next start.
func (s *schedule) next() int64 {
	s.last += s.rand.Poisson(s.delay) * int64(time.Microsecond)
	return s.last
}

// choose draws by weight, as pgbench does.
func (t *thread) choose(programs []*program, weights int64) *program {
	if len(programs) == 1 {
		return programs[0]
	}
	w := t.chooseRand.Int64Range(0, weights-1)
	for _, p := range programs {
		if w -= int64(p.Weight); w < 0 {
			return p
		}
	}
	return programs[len(programs)-1]
}

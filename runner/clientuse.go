package runner

import (
	"sync"

	"qbench/internal/result"
	"qbench/runner/usage"
)

// clientUse measures what the load generator uses while orders are counted: from
// the end of the warm-up to the end of the run, or to the moment at which the
// queue was drained. What clients spend on looking for orders that are gone would
// count against those that there were.
type clientUse struct {
	read        func() usage.Sample
	mu          sync.Mutex
	start, stop *usage.Sample
}

// begin is called at the end of the warm-up.
func (u *clientUse) begin() {
	usage.ResetPeak()
	s := u.read()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.start = &s
}

// end is called with what had been used when the measured time was over. The
// first call counts.
func (u *clientUse) end(s usage.Sample) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.stop == nil {
		u.stop = &s
	}
}

// use is the result: nothing, where the run ended within the warm-up.
func (u *clientUse) use() result.ClientUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.start == nil || u.stop == nil || u.stop.At.Before(u.start.At) {
		return result.ClientUse{}
	}
	return u.stop.Since(*u.start)
}

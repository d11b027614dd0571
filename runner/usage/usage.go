// Package usage reads what this process has used: processor time and memory.
package usage

import (
	"runtime"
	"time"

	"qbench/internal/result"
)

// Sample is what the process had used at a moment.
type Sample struct {
	At           time.Time
	User, System time.Duration // processor time since the process started
	// Peak is the most resident memory in bytes: since the last ResetPeak on
	// Linux, elsewhere since the process started; 0 where it is unknown.
	Peak int64
}

// Since is what was used from start to s. The share of the processors is that
// of all of this machine over the same time.
func (s Sample) Since(start Sample) result.ClientUse {
	user, system := s.User-start.User, s.System-start.System
	use := result.ClientUse{CPUSeconds: (user + system).Seconds(), UserSeconds: user.Seconds(), SysSeconds: system.Seconds(), MaxRSS: s.Peak}
	if elapsed := s.At.Sub(start.At); elapsed > 0 {
		use.CPUShare = use.CPUSeconds / elapsed.Seconds() / float64(runtime.NumCPU())
	}
	return use
}

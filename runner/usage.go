package runner

import (
	"runtime"
	"time"

	"qbench/internal/result"
)

// usage is what this process has used since it started.
type usage struct {
	user, sys time.Duration
	maxRSS    int64 // bytes
}

func (u usage) since(start usage) usage {
	return usage{u.user - start.user, u.sys - start.sys, u.maxRSS}
}

// client is the load generator's part of a result; elapsed is wall time.
func (u usage) client(elapsed time.Duration) result.ClientUse {
	c := result.ClientUse{
		CPUSeconds: (u.user + u.sys).Seconds(), UserSeconds: u.user.Seconds(), SysSeconds: u.sys.Seconds(), MaxRSS: u.maxRSS,
	}
	if elapsed > 0 {
		c.CPUShare = c.CPUSeconds / elapsed.Seconds() / float64(runtime.NumCPU())
	}
	return c
}

package runner

import (
	"time"

	"golang.org/x/sys/windows"
)

func readUsage() usage {
	var creation, exit, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &creation, &exit, &kernel, &user) != nil {
		return usage{}
	}
	// A process time is a length in units of 100 ns, not a date.
	span := func(f windows.Filetime) time.Duration {
		return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
	}
	return usage{user: span(user), sys: span(kernel)}
}

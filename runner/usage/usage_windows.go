package usage

import (
	"time"

	"golang.org/x/sys/windows"
)

// Read takes a sample.
func Read() Sample {
	s := Sample{At: time.Now()}
	var creation, exit, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &creation, &exit, &kernel, &user) != nil {
		return s
	}
	// A process time is a length in units of 100 ns, not a date.
	span := func(f windows.Filetime) time.Duration {
		return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
	}
	s.User, s.System = span(user), span(kernel)
	return s
}

// ResetPeak does nothing here: no peak is read.
func ResetPeak() {}

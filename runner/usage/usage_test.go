package usage

import (
	"runtime"
	"testing"
	"time"
)

func TestUseIsThatOfTheTimeBetween(t *testing.T) {
	t.Parallel()
	start := Sample{At: time.Unix(10, 0), User: 4 * time.Second, System: 2 * time.Second, Peak: 9}
	use := Sample{At: time.Unix(12, 0), User: 5 * time.Second, System: 2500 * time.Millisecond, Peak: 7}.Since(start)
	if use.CPUSeconds != 1.5 || use.UserSeconds != 1 || use.SysSeconds != 0.5 || use.MaxRSS != 7 {
		t.Errorf("%+v", use)
	}
	if want := 1.5 / 2 / float64(runtime.NumCPU()); use.CPUShare != want {
		t.Errorf("share %v, want %v", use.CPUShare, want)
	}
}

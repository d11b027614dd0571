package script

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// However long a sleep is written, it ends after it began.
func TestSleepDoesNotOverflow(t *testing.T) {
	t.Parallel()
	for _, n := range []string{"9223372036854775807", "9223372036854775808", "99999999999999999999", "9223372036854", "9223372037", "4611686018"} {
		for unit := range sleepUnits {
			s, syms := mustParse(t, fmt.Sprintf("\\sleep %s %s", n, unit))
			d, err := s.Commands[0].SleepDuration(NewVars(syms))
			if err != nil {
				t.Errorf("%s %s: %v", n, unit, err)
			}
			// A run's clock counts nanoseconds from its start; a year is as long as any runs.
			if now := int64(365 * 24 * time.Hour); d < time.Second || now+int64(d) < now || int64(d) == math.MaxInt64 {
				t.Errorf("%s %s is %v", n, unit, d)
			}
		}
	}
}

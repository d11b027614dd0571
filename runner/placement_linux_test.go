package runner

import (
	"os"
	"testing"
)

func TestCoreOf(t *testing.T) {
	t.Parallel()
	if core := coreOf(uint32(os.Getpid())); core < 0 {
		t.Errorf("this process is on core %d", core)
	}
	if core := coreOf(1 << 30); core != -1 {
		t.Errorf("a process that is none is on core %d", core)
	}
	for stat, want := range map[string]int{
		"": -1, "1 (a)": -1, "1 (a) b)": -1,
		"28 (a b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 123 0 0": 123,
		"28 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 0":            0,
		"28 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35":              -1,
	} {
		if got := coreIn([]byte(stat)); got != want {
			t.Errorf("%q: core %d, want %d", stat, got, want)
		}
	}
}

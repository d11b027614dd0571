package compare

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"qbench/internal/result"
)

// recorded reads the runs of real servers: each file is the same thing, measured
// again and again.
func recorded(t *testing.T) map[string]*result.File {
	t.Helper()
	paths, err := filepath.Glob("testdata/recorded/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatal("no recorded runs in testdata/recorded")
	}
	files := map[string]*result.File{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var f result.File
		if err := json.Unmarshal(text, &f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if f.Format != result.Format {
			t.Fatalf("%s: format %q", path, f.Format)
		}
		files[filepath.Base(path)] = &f
	}
	return files
}

// split deals the runs of each configuration out to two sides of equal size, of
// most a side.
func split(rng *rand.Rand, f *result.File, most int) (a, b Set) {
	groups, order := map[result.Configuration][]*result.Run{}, []result.Configuration{}
	for _, r := range f.Runs {
		c := r.Configuration
		if groups[c] == nil {
			order = append(order, c)
		}
		groups[c] = append(groups[c], r)
	}
	a, b = NewSet("a"), NewSet("b")
	for _, c := range order {
		runs := slices.Clone(groups[c])
		rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		n := min(len(runs)/2, most)
		a.Runs = append(a.Runs, runs[:n]...)
		b.Runs = append(b.Runs, runs[n:2*n]...)
	}
	return a, b
}

// Two random halves of the same recorded runs are the same thing: at most 1% of
// 1,000 such comparisons may say slower; chance makes it more than 18 once in a
// hundred times where the whole 1% is used.
func TestRecordedRunsRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	for name, f := range recorded(t) {
		for gate, o := range map[string]Options{"throughput": {MaxSlowdown: 0.05}, "all": allDecide} {
			t.Run(name+"/"+gate, func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(8, 8))
				got := map[result.Verdict]int{}
				for range 1000 {
					a, b := split(rng, f, 10)
					rep, err := Compare(a, b, o)
					if err != nil {
						t.Fatal(err)
					}
					got[rep.Verdict]++
				}
				t.Log(got)
				if got[result.Slower] > 18 {
					t.Errorf("%d of 1,000 say slower: %v", got[result.Slower], got)
				}
				if got[result.NotComparable] > 0 {
					t.Errorf("the runs of one file do not compare: %v", got)
				}
			})
		}
	}
}

// A quarter of the throughput is found in any recorded noise, with 10 runs a
// side. Half of it is not: where the runs of one thing differ fivefold from each
// other, as on a machine that others use heavily, 11 of 200 such comparisons
// could not tell.
func TestRecordedRunsShowASlowdown(t *testing.T) {
	t.Parallel()
	for name, f := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(9, 9))
			found := 0
			for range 200 {
				a, b := split(rng, f, 10)
				for i, r := range b.Runs {
					b.Runs[i] = slowed(r, 4)
				}
				rep, err := Compare(a, b, fivePercent)
				if err != nil {
					t.Fatal(err)
				}
				if rep.Verdict == result.Slower {
					found++
				}
			}
			if found < 190 {
				t.Errorf("a quarter of the throughput is found in %d of 200 comparisons", found)
			}
		})
	}
}

// slowed is the run with a throughput that many times lower.
func slowed(r *result.Run, times float64) *result.Run {
	slow := *r
	slow.OrdersPerS, slow.TPS = r.OrdersPerS/times, r.TPS/times
	return &slow
}

// trialOf pairs the recorded runs of one configuration at random, b being so
// many times slower, until the trial is done or there are no more.
func trialOf(t *testing.T, rng *rand.Rand, f *result.File, times float64) result.Verdict {
	t.Helper()
	config := f.Runs[rng.IntN(len(f.Runs))].Configuration
	runs := slices.DeleteFunc(slices.Clone(f.Runs), func(r *result.Run) bool { return r.Configuration != config })
	rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	tr, err := NewTrial("a", "b", fivePercent, 0, NewOrder(1))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(runs) && !tr.Done(); i += 2 {
		if err := tr.Add(runs[i], slowed(runs[i+1], times)); err != nil {
			t.Fatal(err)
		}
	}
	return tr.Report().Verdict
}

// The same for pairs, which are looked at after each of them: at most 1% of
// equals are called slower, and a quarter of the throughput is.
func TestRecordedPairs(t *testing.T) {
	t.Parallel()
	for name, f := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(10, 10))
			alarms, found := 0, 0
			for range 1000 {
				if trialOf(t, rng, f, 1) == result.Slower {
					alarms++
				}
			}
			for range 200 {
				if trialOf(t, rng, f, 4) == result.Slower {
					found++
				}
			}
			t.Logf("%d false alarms in 1,000; a quarter of the throughput is found in %d of 200", alarms, found)
			if alarms > 18 || found < 190 {
				t.Errorf("%d of 1,000 trials of equals say slower, and %d of 200 of a quarter of the throughput", alarms, found)
			}
		})
	}
}

package compare

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"qbench/runner"
)

// recorded reads the runs of real servers: each file is the same thing, measured
// again and again.
func recorded(t *testing.T) map[string]*runner.File {
	t.Helper()
	paths, err := filepath.Glob("testdata/recorded/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skip("no recorded runs in testdata/recorded")
	}
	files := map[string]*runner.File{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var f runner.File
		if err := json.Unmarshal(text, &f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if f.Format != runner.Format {
			t.Fatalf("%s: format %q", path, f.Format)
		}
		files[filepath.Base(path)] = &f
	}
	return files
}

// split deals the runs of each configuration out to two sides of equal size, of
// most a side.
func split(rng *rand.Rand, f *runner.File, most int) (a, b Set) {
	groups, order := map[Config][]*runner.Result{}, []Config{}
	for _, r := range f.Runs {
		c := configOf(r)
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

// Two random halves of the same recorded runs are the same thing: at most 1 % of
// 1,000 such comparisons may say slower; chance makes it more than 18 once in a
// hundred times where the whole 1 % is used.
func TestRecordedRunsRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	for name, f := range recorded(t) {
		for gate, o := range map[string]Options{"throughput": {MaxSlowdown: 0.05}, "all": allDecide} {
			t.Run(name+"/"+gate, func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(8, 8))
				got := map[Verdict]int{}
				for range 1000 {
					a, b := split(rng, f, 10)
					rep, err := Compare(a, b, o)
					if err != nil {
						t.Fatal(err)
					}
					got[rep.Verdict]++
				}
				t.Log(got)
				if got[Slower] > 18 {
					t.Errorf("%d of 1,000 say slower: %v", got[Slower], got)
				}
				if got[NotComparable] > 0 {
					t.Errorf("the runs of one file do not compare: %v", got)
				}
			})
		}
	}
}

// Half as fast is found in any recorded noise, with 10 runs a side.
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
					slow := *r
					slow.OrdersPerS, slow.TPS = r.OrdersPerS/2, r.TPS/2
					b.Runs[i] = &slow
				}
				rep, err := Compare(a, b, fivePercent)
				if err != nil {
					t.Fatal(err)
				}
				if rep.Verdict == Slower {
					found++
				}
			}
			if found < 190 {
				t.Errorf("half the throughput is found in %d of 200 comparisons", found)
			}
		})
	}
}

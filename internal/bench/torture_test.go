//go:build linux

package bench_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"qbench/internal/pgserver"
	"qbench/internal/relaytest"
)

var (
	tortureTrials = flag.Int("torture.trials", len(faults), "number of trials of TestTorture; each fault has its turn")
	tortureSeed   = flag.Uint64("torture.seed", 11, "seed of the trials of TestTorture")
	tortureOnly   = flag.Uint64("torture.only", 0, "replay this trial of TestTorture, by the seed that it printed")
)

// redraws is how often a fault that did not fire is drawn again.
const redraws = 10

// TestTorture breaks loads in the middle and holds the verdict against the
// tables. Each trial follows from its own seed, which a failure prints.
func TestTorture(t *testing.T) {
	t.Parallel()
	server, err := newVictim(t.Context())
	switch {
	case errors.Is(err, pgserver.ErrNoBinaries) && os.Getenv("CI") == "":
		t.Skipf("the torture needs PostgreSQL: %v", err)
	case err != nil:
		t.Fatal(err)
	}
	defer func() {
		if err := server.close(); err != nil {
			t.Error(err)
		}
	}()
	certs, err := relaytest.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(*tortureSeed, 1))
	trials := *tortureTrials
	if *tortureOnly != 0 {
		trials = 1
	}
	done := map[string]int{}
	var unfired, unaudited, failed int
	var deck []int
	for n := range trials {
		if len(deck) == 0 {
			deck = random.Perm(len(faults))
		}
		which := uint64(deck[0])
		deck = deck[1:]
		var stuck bool
		for try := 0; ; try++ {
			seed := (1+random.Uint64N(1<<40))*uint64(len(faults)) + which
			if *tortureOnly != 0 {
				seed = *tortureOnly
			}
			p := newPlan(seed)
			var out *outcome
			t.Run(fmt.Sprintf("%d/%s", n+1, strings.ReplaceAll(p.fault.name, " ", "-")), func(t *testing.T) {
				t.Logf("seed %d: %v", seed, p)
				var err error
				tr := &trial{plan: p, server: server, certs: certs, folder: t.TempDir()}
				out, err = tr.run(t.Context())
				if err != nil {
					t.Errorf("the torture itself failed: %v", err)
					out = nil
					return
				}
				t.Logf("fired: %q; the load took %v, all %v", out.evidence, tr.ended.Sub(tr.began), time.Since(tr.began))
				for _, text := range out.wrong {
					t.Errorf("%s", text)
				}
				if t.Failed() {
					t.Errorf("%v; replay: go test ./internal/bench -run Torture -torture.only %d", p, seed)
				}
			})
			if out == nil {
				failed++
				break
			}
			stuck = out.stuck
			// A fault that can lose orders and did not is no trial either.
			fired := out.evidence != "" && (!p.fault.loses || out.lossy)
			if len(out.wrong) > 0 {
				failed++
			} else if !fired && try < redraws && *tortureOnly == 0 {
				unfired++
				continue
			} else if !fired {
				t.Errorf("fault %q did not fire in %d draws", p.fault.name, try+1)
				break
			}
			done[p.fault.name]++
			if out.unaudited {
				unaudited++
			}
			break
		}
		if stuck {
			t.Fatal("a run could not be ended, so that no further trial would prove anything")
		}
	}
	var list []string
	for name, n := range done {
		list = append(list, fmt.Sprintf("%4d %s", n, name))
	}
	sort.Strings(list)
	t.Logf("%d trials from seed %d, %d of them failed, %d not audited; %d draws did not fire:\n%s",
		trials, *tortureSeed, failed, unaudited, unfired, strings.Join(list, "\n"))
}

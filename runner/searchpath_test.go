package runner_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"qbench/runner"
)

// beginWithin names the scripts that begin a transaction where no search path can be set; they are refused.
var beginWithin = []string{"commit and chain", "rollback and chain", "one message, two blocks", "one message, a COMMIT within", "one message, an error after COMMIT"}

// TestSearchPathInEveryTransaction holds that no name is looked up, by Parse or by execution, before the transaction was given its
// search path, in whatever way it began: else a pooler that ignores the start-up parameter would lead to other users' tables.
func TestSearchPathInEveryTransaction(t *testing.T) {
	t.Parallel()
	for _, sc := range boundaryScripts {
		modes := sc.modes
		if modes == nil {
			modes = runner.Modes
		}
		for _, mode := range modes {
			t.Run(fmt.Sprintf("%s/%s", sc.name, mode), func(t *testing.T) {
				t.Parallel()
				cfg := scriptedConfig(t, mode, sc.source)
				cfg.SearchPath = `"s"`
				if slices.Contains(beginWithin, sc.name) {
					if _, err := runner.Run(t.Context(), cfg, nil, nil); err == nil || !strings.Contains(err.Error(), "search_path") {
						t.Errorf("not refused: %v", err)
					}
					return
				}
				res, sessions := runScripted(t, startScripted(t), cfg)
				x := sessions[0]
				if len(x.strays) > 0 {
					t.Errorf("without a search path: %q\nthe client sends %q", x.strays, x.trace)
				}
				checkSession(t, res, x, noFault)
			})
		}
	}
}

// TestBoundariesUnderSearchPath ends connections between qbench's own statement and the script's too: the orders are the same.
func TestBoundariesUnderSearchPath(t *testing.T) {
	t.Parallel()
	names := []string{"block", "autocommit", "autocommit function", "rollback to savepoint", "pipeline without a block", "a retried statement"}
	for _, sc := range boundaryScripts {
		if !slices.Contains(names, sc.name) {
			continue
		}
		modes := sc.modes
		if modes == nil {
			modes = runner.Modes
		}
		for _, mode := range modes {
			t.Run(fmt.Sprintf("%s/%s", sc.name, mode), func(t *testing.T) {
				t.Parallel()
				cfg := scriptedConfig(t, mode, sc.source)
				cfg.Transactions, cfg.SearchPath = 1, `"s"`
				_, sessions := runScripted(t, startScripted(t), cfg)
				for after := range len(sessions[0].messages) {
					if skipBoundary(after) {
						continue
					}
					for _, kind := range []ending{closed, fatal} {
						tryFault(t, cfg, fault{cut: cut{after: after, done: true}, ending: kind, loose: slices.Contains(sc.loose, mode)}, nil)
					}
					if t.Failed() {
						break // the next boundaries say the same
					}
				}
			})
		}
	}
}

package runner_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"qbench/runner"
)

// randomSource is a script of random statements that are valid where they stand. Under simple some travel in one message, under
// extended and prepared some in a pipeline.
func randomSource(r *rand.Rand, mode runner.Mode) string {
	var out strings.Builder
	var marks []string
	block, pipeline, joined := false, false, false
	say := func(sql string) {
		out.WriteString(sql)
		if joined = mode == runner.Simple && r.IntN(4) == 0; joined {
			out.WriteString("\\;\n")
		} else {
			out.WriteString(";\n")
		}
	}
	if pipeline = slices.Contains(pipelining, mode) && r.IntN(3) == 0; pipeline {
		out.WriteString("\\startpipeline\n")
	}
	for range 2 + r.IntN(9) {
		insert := fmt.Sprintf("insert into u limit %d", 1<<r.IntN(6))
		switch n := r.IntN(20); {
		case n < 7:
			say(insert)
		case !block && n < 13:
			say([]string{"begin", "start transaction", "/* end */ begin work"}[r.IntN(3)])
			block, marks = true, nil
		case n == 13:
			say("select 1")
		case n == 14 && r.IntN(3) == 0:
			say([]string{"select fail(22012)", "select fail_once(40001)"}[r.IntN(2)])
		case !block:
			say(insert)
		case n < 9:
			marks = append(marks, string(rune('a'+r.IntN(2))))
			say("savepoint " + marks[len(marks)-1])
		case n < 12 && len(marks) > 0:
			i := slices.Index(marks, marks[r.IntN(len(marks))])
			for j, m := range marks { // the last of that name
				if m == marks[i] {
					i = j
				}
			}
			if r.IntN(3) > 0 {
				say("rollback to " + marks[i])
				marks = marks[:i+1]
			} else {
				say("release savepoint " + marks[i])
				marks = marks[:i]
			}
		case n < 15:
			say([]string{"commit", "end", "end work"}[r.IntN(3)])
			block, marks = false, nil
		case n < 16:
			say([]string{"commit and chain", "rollback and chain"}[r.IntN(2)])
			marks = nil
		case n < 17:
			say([]string{"rollback", "abort"}[r.IntN(2)])
			block, marks = false, nil
		default:
			say(insert)
		}
	}
	if block && r.IntN(8) > 0 {
		say("commit")
	}
	if joined {
		out.WriteString("select 2;\n")
	}
	if pipeline {
		out.WriteString("\\endpipeline\n")
	}
	return out.String()
}

func randomConfig(tb testing.TB, seed uint64, mode runner.Mode) (runner.Config, string) {
	r := rand.New(rand.NewPCG(seed, 11))
	source := randomSource(r, mode)
	cfg := scriptedConfig(tb, mode, source)
	cfg.Transactions = 1
	cfg.ContinueOnError = r.IntN(2) == 0
	return cfg, source
}

// TestRandomScripts ends connections in the middle of random scripts.
func TestRandomScripts(t *testing.T) {
	t.Parallel()
	const seeds, cuts = 60, 6
	for _, mode := range runner.Modes {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(seeds) {
				cfg, source := randomConfig(t, seed, mode)
				res, sessions := runScripted(t, startScripted(t), cfg)
				checkSession(t, res, sessions[0], noFault)
				r := rand.New(rand.NewPCG(seed, 12))
				for range cuts {
					f := fault{cut: cut{after: r.IntN(len(sessions[0].messages)), done: true}, ending: []ending{closed, fatal, reset}[r.IntN(3)], loose: mode == runner.Simple}
					tryFault(t, cfg, f, nil)
				}
				if t.Failed() {
					t.Fatalf("seed %d, continue on error %v:\n%s", seed, cfg.ContinueOnError, source)
				}
			}
		})
	}
}

// TestRandomScriptsAsPostgreSQL holds the scripted server's replies to random scripts to PostgreSQL's.
func TestRandomScriptsAsPostgreSQL(t *testing.T) {
	t.Parallel()
	const seeds = 25
	b := realBed(t)
	for _, mode := range runner.Modes {
		for seed := range uint64(seeds) {
			_, source := randomConfig(t, seed, mode)
			sql, _ := realSource(source)
			cfg := scriptedConfig(t, mode, sql)
			cfg.Transactions = 1
			res, r, truth := b.relayed(cfg, -1, -1)
			_, sessions := runScripted(t, startScripted(t), cfg)
			if got, want := received(sessions[0].messages), received(r.messages); got != want || sessions[0].committed != truth || res.Consumers.Acknowledged != truth {
				t.Errorf("seed %d, %s: the scripted server answers\n%s\nPostgreSQL answers\n%s\ncommitted %d and %d, acknowledged %d\n%s", seed, mode, got, want, sessions[0].committed, truth, res.Consumers.Acknowledged, sql)
			}
		}
	}
}

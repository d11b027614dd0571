package cli

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qbench/internal/bench"
	"qbench/internal/nearest"
	"qbench/runner/script"
	"qbench/scenarios"
)

func strategyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "strategy", Aliases: []string{"s"}, Category: categoryWhat, Usage: "`LIST`: strategies by name, \"all\", or files such as ./mine.sql; see \"qbench strategies\""},
		&cli.StringSliceFlag{Name: "file", Aliases: []string{"f"}, Category: categoryWhat, Usage: "`FILE[@W]`: a script, or a strategy's name, instead of --strategy; repeated, each client picks one per transaction by weight"},
		&cli.StringSliceFlag{Name: "define", Aliases: []string{"D"}, Category: categoryWhat, Usage: "`NAME=VALUE`: set a variable of the scripts; repeatable"},
		&cli.StringFlag{Name: "batch", Category: categoryWhat, Usage: "`N`: orders per transaction, for strategies that have the parameter"},
		&cli.StringFlag{Name: "work", Category: categoryWhat, Usage: "`TIME`: work between taking and recording an order, as 10ms, or exp(10ms) for exponentially distributed times with that mean; for strategies that have the parameter"},
	}
}

// readMixes loads the strategies.
func readMixes(v *values) []*bench.Mix {
	files := v.c.StringSlice("file")
	switch {
	case len(files) > 0 && v.given("strategy"):
		v.fail("--strategy and -f exclude each other: -f mixes scripts in one run, --strategy lists runs")
	case len(files) > 0:
		var parts []bench.Part
		for _, f := range files {
			parts = append(parts, readPart(v, f))
		}
		return appendMix(v, nil, parts...)
	case !v.given("strategy"):
		v.fail("no strategy is named: give --strategy NAME (\"qbench strategies\" lists them), all, or a file such as ./mine.sql")
		return nil
	}
	var mixes []*bench.Mix
	for _, name := range v.list("strategy") {
		names := []string{name}
		if name == "all" {
			names = comparable()
		}
		for _, n := range names {
			mixes = appendMix(v, mixes, bench.Part{Name: n, Weight: 1})
		}
	}
	return mixes
}

// comparable lists the strategies of the order queue: what "all" is. Those of
// other workloads do other work, and have no place in one ranking with them.
func comparable() []string {
	var names []string
	for _, s := range scenarios.List() {
		if s.Workload == workload {
			names = append(names, s.Name)
		}
	}
	return names
}

func appendMix(v *values, mixes []*bench.Mix, parts ...bench.Part) []*bench.Mix {
	mix, err := bench.LoadMix(parts...)
	if err != nil {
		v.failElsewhere(err)
		return mixes
	}
	return append(mixes, mix)
}

// readPart splits FILE@WEIGHT at the last @, as pgbench does.
func readPart(v *values, text string) bench.Part {
	name, weight := text, int64(1)
	if at := strings.LastIndex(text, "@"); at >= 0 {
		name = text[:at]
		n, err := strconv.ParseInt(text[at+1:], 10, 32)
		if err != nil || n < 0 {
			v.fail("-f %q: %q is not a weight: use a whole number, 0 or more", text, text[at+1:])
		}
		weight = n
	}
	// A file may have any name here; a strategy is meant where there is none.
	if !strings.ContainsAny(name, `/\`) && !strings.HasSuffix(name, ".sql") {
		if _, err := os.Stat(name); err == nil {
			name = "./" + name
		}
	}
	return bench.Part{Name: name, Weight: int(weight)}
}

// readVariables collects -D and the flags that stand for parameters.
func readVariables(v *values, mixes []*bench.Mix) map[string]string {
	vars := v.pairs("define")
	for name := range vars {
		if !script.ValidName(name) {
			v.fail("-D %s: not a variable's name: use letters, digits and underscores", name)
		} else if len(mixes) > 0 && !slices.ContainsFunc(mixes, func(m *bench.Mix) bool { return m.Uses(name) }) {
			var params []string
			for _, m := range mixes {
				params = append(params, m.ParamNames()...)
			}
			v.fail("-D %s: no script of the run uses the variable %q%s", name, name, nearest.DidYouMean(name, params))
		}
	}
	set := func(flag, name, value string) {
		if _, twice := vars[name]; twice {
			v.fail("-D %s and --%s set the same: leave out one of them", name, flag)
		}
		for _, m := range mixes {
			if !m.HasParam(name) {
				v.fail("--%s: the strategy %q has no parameter %q; those that have it: %s", flag, m.Name, name, strings.Join(bench.WithParam(name), ", "))
			}
		}
		vars[name] = value
	}
	if v.given("batch") {
		set("batch", "batch", strconv.FormatInt(v.integer("batch", "orders per transaction", 1, math.MaxInt32), 10))
	}
	if v.given("work") {
		mean, exponential := readWork(v)
		set("work", "work", strconv.FormatInt(mean.Microseconds(), 10))
		set("work", "work_exp", map[bool]string{false: "0", true: "1"}[exponential])
	}
	return vars
}

// readWork reads TIME or exp(TIME).
func readWork(v *values) (mean time.Duration, exponential bool) {
	text := v.text("work")
	if inner, ok := strings.CutPrefix(text, "exp("); ok && strings.HasSuffix(inner, ")") {
		text, exponential = strings.TrimSuffix(inner, ")"), true
	}
	mean, err := time.ParseDuration(text)
	if err != nil || mean < 0 || mean > 0 && mean < time.Microsecond {
		v.fail("--work %q: not a time: use one such as 10ms or 500us, or exp(10ms)", v.text("work"))
	}
	return mean, exponential
}

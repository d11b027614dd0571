package report

import (
	"fmt"
	"slices"
	"strings"

	"qbench/internal/result"
)

// envOf is what a run was made on: runs of several files have one each.
func envOf(r *result.Run, f *result.File) *result.Environment {
	if r.Env != nil {
		return r.Env
	}
	return &f.Environment
}

// environment is what some runs were made on.
type environment struct {
	*result.Environment
	runs string // which, such as "1 to 3, 7"; "" for all
}

// environments lists what the runs of a file were made on, each once. What is
// of one command only, its arguments and when it began, makes no difference.
func environments(f *result.File) []environment {
	var out []environment
	numbers := map[string][]int{}
	var keys []string
	for i, r := range f.Runs {
		e := envOf(r, f)
		key := environmentKey(e)
		if numbers[key] == nil {
			out, keys = append(out, environment{Environment: e}), append(keys, key)
		}
		numbers[key] = append(numbers[key], i+1)
	}
	if len(out) == 0 {
		return []environment{{Environment: &f.Environment}}
	}
	for i := range out {
		if len(out) > 1 {
			out[i].runs = ranges(numbers[keys[i]])
		}
	}
	return out
}

func environmentKey(e *result.Environment) string {
	settings := pairs(e.Settings)
	// It follows from the number of clients.
	settings = slices.DeleteFunc(settings, func(s string) bool { return strings.HasPrefix(s, "max_connections=") })
	return fmt.Sprintf("%q %t %q %q %q", e.ServerVersion, e.Disposable, settings, hostText(e), e.QbenchVersion)
}

// ranges writes ascending numbers as "1 to 3, 7".
func ranges(n []int) string {
	var parts []string
	for i := 0; i < len(n); {
		j := i
		for j+1 < len(n) && n[j+1] == n[j]+1 {
			j++
		}
		if j > i {
			parts = append(parts, fmt.Sprintf("%d to %d", n[i], n[j]))
		} else {
			parts = append(parts, fmt.Sprint(n[i]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// serverText names a server.
func serverText(e *result.Environment) string {
	text := "unknown server"
	if e.ServerVersion != "" {
		text = "PostgreSQL " + e.ServerVersion
	}
	if e.Disposable {
		text += ", started by qbench"
	}
	return text
}

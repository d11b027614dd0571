package result

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Join puts several files together, and says what is lost by that: in which
// respects their runs were not measured alike, and which comparisons and runs are not
// shown: a comparison of two files' runs says nothing of the others, and capacities
// are shown instead of runs.
func Join(files []*File) (joined *File, lost []string) {
	if len(files) == 1 {
		return files[0], nil
	}
	joined = &File{Format: Format, Environment: files[0].Environment}
	values := map[string][]string{} // what each respect was, in the order of the files
	planned := slices.ContainsFunc(files, func(f *File) bool { return f.AllCapacities() != nil })
	for i, f := range files {
		if planned && f.AllCapacities() == nil && len(f.Runs) > 0 {
			lost = append(lost, fmt.Sprintf("file %d of %d holds runs and no capacity: only a format for runs, such as table, shows them", i+1, len(files)))
		}
		if f.Comparison != nil {
			lost = append(lost, fmt.Sprintf("the comparison in file %d of %d is not shown: give the file alone", i+1, len(files)))
		}
		joined.Runs = append(joined.Runs, f.Runs...)
		joined.Capacities = append(joined.Capacities, f.AllCapacities()...)
		for name, value := range traits(&f.Environment) {
			if !slices.Contains(values[name], value) {
				values[name] = append(values[name], value)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if list := values[name]; len(list) > 1 {
			lost = append(lost, fmt.Sprintf("the files differ in %s: %s", name, strings.Join(list, ", ")))
		}
	}
	return joined, lost
}

// traits are what has to be the same for runs to be read side by side.
func traits(e *Environment) map[string]string {
	out := map[string]string{
		"server version": e.ServerVersion, "qbench version": e.QbenchVersion,
		"machine": e.Machine(),
	}
	for name, value := range e.Settings {
		// It follows from the number of clients.
		if name != "max_connections" {
			out["the setting "+name] = value
		}
	}
	return out
}

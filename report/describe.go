package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// pairs lists a map as name=value, sorted by name.
func pairs(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, name+"="+m[name])
	}
	return out
}

// hostText describes the machine that the load generator ran on.
func hostText(e *result.Environment) string {
	var parts []string
	if e.HostCores > 0 {
		parts = append(parts, amount.Count(int64(e.HostCores), "core"))
	}
	if e.HostCPU != "" {
		parts = append(parts, e.HostCPU)
	}
	if e.HostMemory > 0 {
		parts = append(parts, fmt.Sprintf("%.1f GiB", float64(e.HostMemory)/(1<<30)))
	}
	if e.HostOS != "" {
		parts = append(parts, e.HostOS)
	}
	return strings.Join(parts, ", ")
}

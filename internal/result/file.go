package result

// Format names the version of the result file. Files of "qbench/1" are refused:
// latency_ms and the queue times mean something else there.
const Format = "qbench/2"

// File is what a result file holds.
type File struct {
	Format      string      `json:"format"`
	Runs        []*Run      `json:"runs"`
	Environment Environment `json:"environment,omitzero"`
	// Capacity is what capacity planning found about the only strategy, and
	// Capacities about each of several, with their ranking.
	Capacity        *Capacity        `json:"capacity,omitempty"`
	Capacities      []*Capacity      `json:"capacities,omitempty"`
	CapacityRanking *CapacityRanking `json:"capacity_ranking,omitempty"`
	// Comparison is what a comparison of these runs with others came to.
	Comparison *Comparison `json:"comparison,omitempty"`
}

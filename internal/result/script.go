package result

// Script is one script's part of a run.
type Script struct {
	Name       string      `json:"name"`
	Weight     int         `json:"weight"`
	Digest     string      `json:"digest,omitempty"`     // of the script's text: see Digest
	Statements []Statement `json:"statements,omitempty"` // under -r
	Stats
	Latency Latency `json:"latency_ms"` // of all its transactions, as pgbench prints it
}

// Statement is one command's part of a script.
type Statement struct {
	Text     string  `json:"text"`
	MeanMS   float64 `json:"mean_ms"`
	Count    int64   `json:"count"`
	Failures int64   `json:"failures"`
	Retries  int64   `json:"retries"`
	// Group is the 1-based number of the round trip that the statement
	// travelled in under -M pipelined; 0 elsewhere.
	Group int `json:"group,omitempty"`
}

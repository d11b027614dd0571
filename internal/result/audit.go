package result

import "encoding/json"

// Audit is the proof that each order was handled exactly once. One that could
// not be made has a Reason, and its OK, which is then false, is null in a file:
// a reader that knows nothing of reasons takes it for a failed one.
type Audit struct {
	OK bool `json:"ok"`
	// Reason says why the audit could not be made; "" where it was.
	Reason       string `json:"reason,omitempty"`
	Seeded       int64  `json:"seeded"`
	Enqueued     int64  `json:"enqueued"`     // by producers, acknowledged
	Remaining    int64  `json:"remaining"`    // rows in the queue
	Processed    int64  `json:"processed"`    // rows in the result table
	Acknowledged int64  `json:"acknowledged"` // orders the clients counted since the set was made
	InDoubt      int64  `json:"in_doubt"`
	// InDoubtUnknown says that InDoubt is the least: see Run.
	InDoubtUnknown bool     `json:"in_doubt_unknown,omitempty"`
	Lost           int64    `json:"lost"`               // of the set, in neither table
	Duplicated     int64    `json:"duplicated"`         // rows beyond the first of the same order in one table
	Both           int64    `json:"both"`               // in both tables
	Foreign        int64    `json:"foreign"`            // in a table, but not of the set
	Orphans        int64    `json:"orphans,omitempty"`  // claimed but never completed
	Problems       []string `json:"problems,omitempty"` // what is wrong, a sentence each
}

// Made tells an audit with a verdict from one that could not be made.
func (a *Audit) Made() bool { return a != nil && a.Reason == "" }

// Failed tells whether the audit was made and found a mistake.
func (a *Audit) Failed() bool { return a.Made() && !a.OK }

// NotMade withdraws the verdict "ok" for a reason. A mistake that was found
// stays one.
func (a *Audit) NotMade(reason string) {
	if a.OK {
		a.OK, a.Reason = false, reason
	}
}

// MarshalJSON writes null for the verdict of an audit that was not made.
func (a Audit) MarshalJSON() ([]byte, error) {
	type fields Audit
	out := struct {
		OK *bool `json:"ok"`
		fields
	}{&a.OK, fields(a)}
	if !a.Made() {
		out.OK = nil
	}
	return json.Marshal(out)
}

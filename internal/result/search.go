package result

// Search is the highest rate at which the service-level objective holds and the
// queue's depth stays bounded.
type Search struct {
	Outcome CapacityOutcome `json:"outcome"`
	Answer  string          `json:"answer"`
	SLO     string          `json:"slo"`
	// Rate is in orders/s: the highest that held. Its interval goes from the
	// highest rate that held beyond doubt to the lowest that broke beyond it, and
	// has no confidence; where the noise leaves doubt, rate and interval are those
	// of a line through all measurements near the limit. After long measurements
	// it goes from the rate that held in several of them to the lowest that broke
	// in one.
	Rate     Estimate `json:"rate"`
	Workers  int      `json:"workers"`
	Headroom float64  `json:"headroom,omitempty"`
	PlanRate float64  `json:"plan_rate,omitempty"` // Rate less the headroom
	// BreaksAt is the lowest rate that was found broken, and Breaks what broke
	// there.
	BreaksAt float64  `json:"breaks_at,omitempty"`
	Breaks   []string `json:"breaks,omitempty"`
	// ConfirmRuns is how many long measurements the rate held in, with none that
	// broke; 0 where there were none. Three are wanted, fewer are what there was
	// time for. ConfirmS is how long each was.
	ConfirmRuns int      `json:"confirm_runs,omitempty"`
	ConfirmS    float64  `json:"confirm_s,omitempty"`
	BacklogS    float64  `json:"backlog_s,omitempty"` // of orders that waited when it began, in seconds of the rate
	Probes      []*Probe `json:"probes"`              // in the order they were done
	Points      int      `json:"points"`              // measurements, repeats included
}

// Target is the answer to how many workers a rate needs.
type Target struct {
	Outcome CapacityOutcome `json:"outcome"`
	Answer  string          `json:"answer"`
	SLO     string          `json:"slo"`
	Rate    float64         `json:"rate"`    // orders/s
	Workers int             `json:"workers"` // the fewest that hold it; 0 where none do
	Breaks  []string        `json:"breaks,omitempty"`
	Probes  []*Probe        `json:"probes"`
	Points  int             `json:"points"`
	// Confirmed says that those workers held it in long measurements too.
	Confirmed bool `json:"confirmed,omitempty"`
}

// Probe is one rate with one number of workers, measured once or, where it
// was doubtful, several times.
type Probe struct {
	Rate     float64 `json:"rate"` // orders/s really offered
	Workers  int     `json:"workers"`
	Repeats  int     `json:"repeats"`
	Holds    bool    `json:"holds"`
	Doubtful bool    `json:"doubtful,omitempty"` // decided by the means, within the noise
	// Short says that the producers could not offer what they were asked to.
	Short  bool      `json:"short,omitempty"`
	Values []float64 `json:"values"` // of the objective's metrics, in its order and their units
	Growth Estimate  `json:"growth_per_s"`
	// P99MS is of the workers' transactions, CPUPerOrder of the clients in
	// seconds; both means of the repeats.
	P99MS       float64  `json:"p99_ms"`
	CPUPerOrder float64  `json:"cpu_per_order_s"`
	Breaks      []string `json:"breaks,omitempty"` // what is broken, in plain words
}

// Drift is the trend of something that was watched during a soak.
type Drift struct {
	Name string `json:"name"` // "orders/s", "p99", "queue table"
	Unit string `json:"unit"`
	// Limit is the value at which the objective would break; nil without one.
	// Floor says that it breaks below the limit, not above.
	Limit   *float64 `json:"limit,omitempty"`
	Floor   bool     `json:"floor,omitempty"`
	PerHour Estimate `json:"per_hour"`
	Start   float64  `json:"start"` // on the fitted line
	End     float64  `json:"end"`
	Real    bool     `json:"real"` // the interval of the slope leaves out 0
	// BreaksInH is the time from the end of the soak, in hours, at which the
	// line reaches the limit; nil where it never does.
	BreaksInH *Estimate `json:"breaks_in_h,omitempty"`
	Answer    string    `json:"answer"`
}

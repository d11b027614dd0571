package result

// Check is a threshold put on a run.
type Check struct {
	Run *Run
	// Number is the run's place among all, from 1, and Of is how many there are.
	Number, Of int
	Threshold  Threshold
	Truth      Truth
	Value      string // what is known of the metric, in words
}

// CheckAll puts each threshold on each run.
func CheckAll(list []Threshold, runs []*Run) []Check {
	var checks []Check
	for i, r := range runs {
		for _, t := range list {
			c := Check{Run: r, Number: i + 1, Of: len(runs), Threshold: t}
			c.Truth, c.Value = t.Check(r)
			checks = append(checks, c)
		}
	}
	return checks
}

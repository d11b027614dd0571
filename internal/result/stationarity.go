package result

// Stationarity says whether the rate of a run was one rate. It is judged by the
// orders/s (tps where no orders are counted) of windows of WindowS seconds that
// follow each other, without the warm-up.
type Stationarity struct {
	// Stationary is false if the windows differ by more than chance and so much
	// that the average depends on when the run ends.
	Stationary bool `json:"stationary"`
	// Low and High are the rates of the slowest and the fastest window.
	Low     float64 `json:"low_per_s"`
	High    float64 `json:"high_per_s"`
	WindowS float64 `json:"window_s"`
	// P is the probability of windows that differ as much by chance.
	P float64 `json:"p"`
}

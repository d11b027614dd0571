package capacity

import (
	"math"
	"math/rand/v2"
)

// fluid simulates the depth of a queue per interval of one second: Poisson-like
// flows in and out, and never fewer than no orders.
func fluid(rng *rand.Rand, in, out float64, seconds int) []float64 {
	var depths []float64
	depth := 0.0
	const slices = 50
	for range seconds {
		for range slices {
			a := in/slices + math.Sqrt(in/slices)*rng.NormFloat64()
			b := out/slices + math.Sqrt(out/slices)*rng.NormFloat64()
			depth = math.Max(0, depth+a-b)
		}
		depths = append(depths, math.Round(depth))
	}
	return depths
}

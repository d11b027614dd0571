package capacity

import (
	"context"
	"math"

	"qbench/internal/result"
)

// sharpen replaces a bracket whose ends were decided within the noise by a
// regression, and measures on either side of it until that is precise or the
// points are used up. Where the latency rises slowly with the rate, its noise
// is a large part of the rate, and no single point can be decided.
func (s *searcher) sharpen(ctx context.Context) error {
	if !s.low.Doubtful && !s.top.Doubtful {
		return nil
	}
	for side := 1.0; ; side = -side {
		e, ok := s.crossing()
		if !ok {
			return nil
		}
		s.line = &e
		if e.Relative() <= s.Tolerance || s.points >= s.MaxPoints {
			break
		}
		rate := math.Min(math.Max(e.Value*(1+side*s.Tolerance), s.MinRate), s.MaxRate)
		sample, err := s.one(ctx, result.Point{Clients: s.Workers, Rate: rate, Duration: s.Duration, Repeat: 1})
		if err != nil {
			return err
		}
		b, err := s.judge(rate, s.Workers, []result.Sample{sample}, s.confirmed)
		if err != nil {
			return err
		}
		s.record(b)
	}
	low := *s.low
	low.Rate, low.Doubtful = s.line.Value, true
	s.low = &low
	for _, b := range s.probes {
		if !b.Holds && b.Rate > low.Rate && (s.top.Rate <= low.Rate || b.Rate < s.top.Rate) {
			s.top = b
		}
	}
	return nil
}

// crossing is the rate at which the room ends, by weighted least squares
// through the probes whose latency is near the limit. Growing queues are left
// out: their latency is that of the moment at which they were stopped. It is
// false where the line does not clearly fall.
func (s *searcher) crossing() (result.Estimate, bool) {
	const near = 0.45 // of log(value/limit), within which a line is straight enough
	var w, wx, wy float64
	var used []*probed
	weight := func(b *probed) float64 { return float64(b.Repeats) / sq(1+b.room) } // the noise is relative
	for _, b := range s.probes {
		if b.capacity == 0 && math.Abs(math.Log1p(b.room)) < near {
			used = append(used, b)
			w, wx, wy = w+weight(b), wx+weight(b)*b.Rate, wy+weight(b)*b.room
		}
	}
	if len(used) < 2 {
		return result.Estimate{}, false
	}
	x, y := wx/w, wy/w
	var xx, xy float64
	for _, b := range used {
		xx += weight(b) * sq(b.Rate-x)
		xy += weight(b) * (b.Rate - x) * (b.room - y)
	}
	slope, noise := xy/xx, s.noise(nil)
	if !(slope < -sure*noise/math.Sqrt(xx)) {
		return result.Estimate{}, false
	}
	root := x - y/slope
	half := sure * noise / -slope * math.Sqrt(1/w+sq(root-x)/xx)
	return result.Estimate{Value: root, Low: root - half, High: root + half, Confidence: math.Erf(sure / math.Sqrt2)}, root > 0
}

package result

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The range of a histogram. Samples are nanoseconds, kept in steps of histLowest
// at the least, so that 3 digits are kept from 8 us on; a smaller step would only
// take memory (224 KiB with 3 digits; 176 KiB with steps of 1 us, which are 5% of
// 10 us). Samples above histHighest are counted as overflow and recorded as
// histHighest, which the library by itself would accept without a word.
const (
	histLowest  = 8
	histHighest = int64(10 * time.Minute)
)

// Digits of precision: fine for what is reported as a percentile of a run,
// coarse for what is kept per interval.
const (
	FineDigits   = 3
	CoarseDigits = 2
)

// Histogram holds latencies: an HDR histogram for the percentiles, and exact
// sums for mean and standard deviation, as pgbench computes them. It is not
// safe for concurrent use; each thread has its own, merged afterwards.
type Histogram struct {
	hdr       *hdrhistogram.Histogram
	sum, sum2 float64 // of milliseconds
	min, max  time.Duration
	count     int64
	overflow  int64
}

// NewHistogram returns an empty histogram with the given number of
// significant digits (FineDigits or CoarseDigits).
func NewHistogram(digits int) *Histogram {
	return &Histogram{hdr: hdrhistogram.New(histLowest, histHighest, digits)}
}

// Record adds one sample. It does not allocate.
func (h *Histogram) Record(d time.Duration) {
	if d < 0 {
		d = 0
	}
	ms := float64(d) / 1e6
	h.sum += ms
	h.sum2 += ms * ms
	if h.count == 0 || d < h.min {
		h.min = d
	}
	if d > h.max {
		h.max = d
	}
	h.count++
	v := int64(d)
	if v > histHighest {
		h.overflow++
		v = histHighest
	}
	// RecordValue fails above the range only, which was just excluded.
	_ = h.hdr.RecordValue(v)
}

// Merge adds the samples of o, whatever its precision.
func (h *Histogram) Merge(o *Histogram) {
	if o == nil || o.count == 0 {
		return
	}
	if h.count == 0 || o.min < h.min {
		h.min = o.min
	}
	h.max = max(h.max, o.max)
	h.count += o.count
	h.sum += o.sum
	h.sum2 += o.sum2
	h.overflow += o.overflow
	h.hdr.Merge(o.hdr)
}

// Reset forgets all samples and keeps the memory.
func (h *Histogram) Reset() {
	h.hdr.Reset()
	*h = Histogram{hdr: h.hdr}
}

// Count is the number of samples.
func (h *Histogram) Count() int64 { return h.count }

// Overflow is the number of samples above the range (10 minutes), which
// percentiles show as the end of the range.
func (h *Histogram) Overflow() int64 { return h.overflow }

// Mean is the exact mean in milliseconds; 0 for no sample.
func (h *Histogram) Mean() float64 {
	if h.count == 0 {
		return 0
	}
	return h.sum / float64(h.count)
}

// StdDev is the exact population standard deviation in milliseconds, as
// pgbench prints it.
func (h *Histogram) StdDev() float64 {
	if h.count == 0 {
		return 0
	}
	mean := h.Mean()
	return math.Sqrt(max(0, h.sum2/float64(h.count)-mean*mean))
}

// Sum is the exact sum of all samples in milliseconds.
func (h *Histogram) Sum() float64 { return h.sum }

// Min and Max are exact.
func (h *Histogram) Min() time.Duration { return h.min }

// Max is the largest sample.
func (h *Histogram) Max() time.Duration { return h.max }

// Percentile is the smallest sample at or below which p per cent of all lie
// (the nearest-rank definition), to the histogram's precision and never above
// the exact maximum. p has at most four decimals.
func (h *Histogram) Percentile(p float64) time.Duration {
	if h.count == 0 {
		return 0
	}
	if p >= 100 {
		return h.max
	}
	// The library rounds the rank to the nearest; a percentage that is a whole rank
	// leaves it nothing to round.
	v := time.Duration(h.hdr.ValueAtPercentile(float64(nearestRank(p, h.count)) / float64(h.count) * 100))
	return min(max(v, h.min), h.max)
}

// nearestRank is ceil(p/100 * n), and at least 1. In floating point 99.9% of 1,000
// is above 999, and its ceiling 1,000, so it is reckoned in millionths.
func nearestRank(p float64, n int64) int64 {
	const whole = 1_000_000
	part := int64(math.Round(p / 100 * whole))
	// n = q*whole + r keeps the product in range.
	q, r := n/whole, n%whole
	return max(1, q*part+(r*part+whole-1)/whole)
}

// HDR exposes the samples in nanoseconds to the renderers of standard formats.
func (h *Histogram) HDR() *hdrhistogram.Histogram { return h.hdr }

// Latency summarises the samples.
func (h *Histogram) Latency() Latency {
	ms := func(d time.Duration) float64 { return float64(d) / 1e6 }
	return Latency{
		Mean: h.Mean(), StdDev: h.StdDev(), Min: ms(h.min),
		P50: ms(h.Percentile(50)), P90: ms(h.Percentile(90)), P95: ms(h.Percentile(95)),
		P99: ms(h.Percentile(99)), P999: ms(h.Percentile(99.9)), Max: ms(h.max),
	}
}

// histogramJSON is how a histogram stands in a result file: HdrHistogram's own
// compressed encoding (nanoseconds), and the exact sums beside it.
type histogramJSON struct {
	HDR      string  `json:"hdr"`
	Count    int64   `json:"count"`
	SumMS    float64 `json:"sum_ms"`
	Sum2MS   float64 `json:"sum2_ms2"`
	MinNS    int64   `json:"min_ns"`
	MaxNS    int64   `json:"max_ns"`
	Overflow int64   `json:"overflow,omitempty"`
}

// MarshalJSON writes the histogram in HdrHistogram's V2 compressed encoding.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	enc, err := h.hdr.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, fmt.Errorf("encode histogram: %w", err)
	}
	return json.Marshal(histogramJSON{string(enc), h.count, h.sum, h.sum2, int64(h.min), int64(h.max), h.overflow})
}

// UnmarshalJSON reads what MarshalJSON wrote; an inconsistent or damaged
// encoding is an error.
func (h *Histogram) UnmarshalJSON(data []byte) error {
	var j histogramJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	hdr, err := decodeHDR(j.HDR)
	if err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	if hdr.TotalCount() != j.Count {
		return fmt.Errorf("decode histogram: it holds %d samples where count says %d", hdr.TotalCount(), j.Count)
	}
	if j.Overflow < 0 || j.Overflow > j.Count || j.MinNS < 0 || j.MaxNS < j.MinNS || j.SumMS < 0 || j.Sum2MS < 0 {
		return fmt.Errorf("decode histogram: its sums contradict each other: overflow %d of %d, min %d ns, max %d ns, sum %g ms", j.Overflow, j.Count, j.MinNS, j.MaxNS, j.SumMS)
	}
	*h = Histogram{hdr, j.SumMS, j.Sum2MS, time.Duration(j.MinNS), time.Duration(j.MaxNS), j.Count, j.Overflow}
	return nil
}

// decodeHDR turns the library's panics on damaged input into errors.
func decodeHDR(s string) (h *hdrhistogram.Histogram, err error) {
	defer func() {
		if r := recover(); r != nil {
			h, err = nil, fmt.Errorf("damaged encoding: %v", r)
		}
	}()
	h, err = hdrhistogram.Decode([]byte(s))
	if err == nil && h == nil {
		err = fmt.Errorf("damaged encoding")
	}
	return h, err
}

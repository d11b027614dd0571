package script

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestRandReference has the results of the reference implementation for
// --random-seed=5432, where pgbench documents the same ones in its own tests.
func TestRandReference(t *testing.T) {
	t.Parallel()
	base := NewRand(5432)
	r := NewRand(base.Uint64())
	for _, tt := range []struct {
		name      string
		got, want int64
	}{
		{"random(10, 19)", r.Int64Range(10, 19), 17},
		{"random_exponential(100, 199, 10)", r.exponential(100, 199, 10), 104},
		{"random_gaussian(1000, 1999, 10)", r.gaussian(1000, 1999, 10), 1498},
		{"random_zipfian(1, 9, 1.3)", r.zipfian(1, 9, 1.3), 3},
		{"hash(10, 5432)", hashMurmur2(10, 5432), -5817877081768721676},
		{"hash_fnv1a(10, 5432)", hashFNV1A(10, 5432), -7793829335365542153},
		{"default_seed", int64(base.Uint64()), 7590783070443337668},
		{"permute, 63 bits", permute(9223372036854775796, 9223372036854775797, 5432), 520382784483822430},
	} {
		if tt.got != tt.want {
			t.Errorf("%s = %d, want %d", tt.name, tt.got, tt.want)
		}
	}
}

func TestRandCopyIsState(t *testing.T) {
	t.Parallel()
	r := NewRand(1)
	r.Uint64()
	saved := r
	a := [3]uint64{r.Uint64(), r.Uint64(), r.Uint64()}
	r = saved
	if b := [3]uint64{r.Uint64(), r.Uint64(), r.Uint64()}; a != b {
		t.Errorf("%v, then %v", a, b)
	}
}

// TestPoissonMean: the mean of many waits is near the center, and they are
// as scattered as exponential waits are.
func TestPoissonMean(t *testing.T) {
	t.Parallel()
	const n, center = 100000, 5000.0
	r := NewRand(7)
	sum, sum2 := 0.0, 0.0
	for range n {
		x := float64(r.Poisson(center))
		sum += x
		sum2 += x * x
	}
	mean := sum / n
	dev := math.Sqrt(sum2/n - mean*mean)
	if math.Abs(mean-center) > 0.02*center || math.Abs(dev-center) > 0.02*center {
		t.Errorf("mean %v, deviation %v, want both near %v", mean, dev, center)
	}
}

func TestDistributionsKeepBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := NewRand(rapid.Uint64().Draw(t, "seed"))
		lo := rapid.Int64Range(math.MinInt64, math.MaxInt64).Draw(t, "lo")
		most := int64(math.MaxInt64 - 1) // the number of values is an int64 too
		if lo > 0 {
			most = math.MaxInt64 - lo
		}
		hi := lo + rapid.Int64Range(0, most).Draw(t, "span")
		for name, x := range map[string]int64{
			"uniform":     r.Int64Range(lo, hi),
			"exponential": r.exponential(lo, hi, rapid.Float64Range(0.1, 50).Draw(t, "exponential")),
			"gaussian":    r.gaussian(lo, hi, rapid.Float64Range(2, 50).Draw(t, "gaussian")),
			"zipfian":     r.zipfian(lo, hi, rapid.Float64Range(1.1, 1000).Draw(t, "zipfian")),
		} {
			if x < lo || x > hi {
				t.Fatalf("%s: %d is not in %d … %d", name, x, lo, hi)
			}
		}
		if f := r.Float64(); f < 0 || f >= 1 {
			t.Fatalf("Float64 = %v", f)
		}
	})
}

func TestInt64RangeEnds(t *testing.T) {
	t.Parallel()
	r := NewRand(1)
	before := r
	if r.Int64Range(5, 5) != 5 || r.Int64Range(5, 4) != 5 || r != before {
		t.Error("a range of one value draws")
	}
	seen := map[int64]bool{}
	for range 1000 {
		seen[r.Int64Range(-1, 1)] = true
	}
	if len(seen) != 3 || !seen[-1] || !seen[0] || !seen[1] {
		t.Errorf("-1 … 1 gave %v", seen)
	}
	r.Int64Range(math.MinInt64, math.MaxInt64) // the whole range is one
}

func TestPermuteIsPermutation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 300).Draw(t, "size")
		seed := rapid.Int64().Draw(t, "seed")
		seen := make(map[int64]bool)
		for i := range size {
			p := permute(i, size, seed)
			if p < 0 || p >= size || seen[p] {
				t.Fatalf("permute(%d, %d, %d) = %d, outside or twice", i, size, seed, p)
			}
			seen[p] = true
			if again := permute(i+size, size, seed); again != p {
				t.Fatalf("permute(%d) = %d, not modulo the size %d", i+size, again, size)
			}
		}
	})
}

// TestIntArithmetic compares with arithmetic that cannot overflow.
func TestIntArithmetic(t *testing.T) {
	t.Parallel()
	interesting := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{
		0, 1, -1, 2, -2, math.MinInt64, math.MinInt64 + 1, math.MaxInt64, 1 << 32, -1 << 32, 3037000499, 3037000500,
	}))
	ops := map[op]func(z, x, y *big.Int) *big.Int{
		opAdd: (*big.Int).Add, opSub: (*big.Int).Sub, opMul: (*big.Int).Mul, opDiv: (*big.Int).Quo, opMod: (*big.Int).Rem,
	}
	rapid.Check(t, func(t *rapid.T) {
		x, y := interesting.Draw(t, "x"), interesting.Draw(t, "y")
		for o, exact := range ops {
			got, err := evalIntArith(o, x, y)
			if y == 0 && (o == opDiv || o == opMod) {
				if err != errDivisionByZero {
					t.Fatalf("%d %s 0: error %v", x, o.sign(), err)
				}
				continue
			}
			want := exact(new(big.Int), big.NewInt(x), big.NewInt(y))
			if want.IsInt64() != (err == nil) || err == nil && got != Int(want.Int64()) {
				t.Fatalf("%d %s %d = %s, %v, want %s", x, o.sign(), y, got.AppendText(nil), err, want)
			}
		}
	})
}

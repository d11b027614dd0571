package script

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// function is a named function.
type function struct {
	name string
	min  int
	max  int // -1: any number
	op   op
}

var errTooManyArgs = fmt.Errorf("too many function arguments, maximum is %d", maxFunctionArgs)

// functions are pgbench's, by lower-case name.
var functions = func() map[string]*function {
	byName := make(map[string]*function)
	for _, f := range []function{
		{name: "abs", min: 1, max: 1, op: opAbs},
		{name: "debug", min: 1, max: 1, op: opDebug},
		{name: "double", min: 1, max: 1, op: opDouble},
		{name: "exp", min: 1, max: 1, op: opExp},
		{name: "greatest", min: 1, max: -1, op: opGreatest},
		{name: "hash", min: 1, max: 2, op: opHashMurmur2},
		{name: "hash_fnv1a", min: 1, max: 2, op: opHashFNV1A},
		{name: "hash_murmur2", min: 1, max: 2, op: opHashMurmur2},
		{name: "int", min: 1, max: 1, op: opInt},
		{name: "least", min: 1, max: -1, op: opLeast},
		{name: "ln", min: 1, max: 1, op: opLn},
		{name: "mod", min: 2, max: 2, op: opMod},
		{name: "permute", min: 2, max: 3, op: opPermute},
		{name: "pi", min: 0, max: 0, op: opPi},
		{name: "pow", min: 2, max: 2, op: opPow},
		{name: "power", min: 2, max: 2, op: opPow},
		{name: "random", min: 2, max: 2, op: opRandom},
		{name: "random_exponential", min: 3, max: 3, op: opExponential},
		{name: "random_gaussian", min: 3, max: 3, op: opGaussian},
		{name: "random_zipfian", min: 3, max: 3, op: opZipfian},
		{name: "sqrt", min: 1, max: 1, op: opSqrt},
	} {
		byName[f.name] = &f
	}
	return byName
}()

func findFunction(name string) (*function, bool) {
	f, ok := functions[strings.ToLower(name)]
	return f, ok
}

// takesSeed reports whether :default_seed stands in for the last argument.
func (f *function) takesSeed() bool {
	return f.max == f.min+1
}

// checkCount returns what is wrong with a number of arguments, or nothing.
func (f *function) checkCount(n int) string {
	switch {
	case f.max < 0 && n == 0:
		return "at least one argument expected"
	case f.max >= 0 && (n < f.min || n > f.max):
		return "unexpected number of arguments"
	}
	return ""
}

// apply builds the expression of a call with a checked number of arguments.
func (f *function) apply(args []Expr) Expr {
	switch {
	case f.op.isCall():
		return &call{f, args}
	case len(args) == 1:
		return &unary{f.op, args[0]}
	default:
		return &binary{f.op, args[0], args[1]}
	}
}

// evalCall applies a function to arguments none of which is NULL. It is a
// switch and not a table of functions because through a function's value the
// compiler cannot see that the arguments may stay on the stack.
func evalCall(o op, env *Env, args []Value) (Value, error) {
	switch o {
	case opLeast:
		return evalLeast(args)
	case opGreatest:
		return evalGreatest(args)
	case opPermute:
		return evalPermute(args)
	case opRandom:
		return evalRandom(env, args)
	case opExponential:
		return evalExponential(env, args)
	case opGaussian:
		return evalGaussian(env, args)
	case opZipfian:
		return evalZipfian(env, args)
	default: // opPi
		return Double(math.Pi), nil
	}
}

func evalLeast(args []Value) (Value, error) {
	return extremum(args,
		func(i, j int64) bool { return i < j },
		func(f, g float64) bool { return f < g })
}

func evalGreatest(args []Value) (Value, error) {
	return extremum(args,
		func(i, j int64) bool { return i > j },
		func(f, g float64) bool { return f > g })
}

// extremum is a double if any argument is one. Of two arguments of which
// neither is better (a NaN), the later wins, as with C's MIN and MAX macros.
func extremum(args []Value, better func(i, j int64) bool, betterDouble func(f, g float64) bool) (Value, error) {
	for _, v := range args {
		if v.typ == TypeDouble {
			return extremumDouble(args, betterDouble)
		}
	}
	best, err := args[0].toInt()
	for _, v := range args[1:] {
		if err != nil {
			break
		}
		var i int64
		if i, err = v.toInt(); !better(best, i) {
			best = i
		}
	}
	return Int(best), err
}

func extremumDouble(args []Value, better func(f, g float64) bool) (Value, error) {
	best, err := args[0].toDouble()
	for _, v := range args[1:] {
		if err != nil {
			break
		}
		var f float64
		if f, err = v.toDouble(); !better(best, f) {
			best = f
		}
	}
	return Double(best), err
}

func evalPermute(args []Value) (Value, error) {
	val, size, err := toInts(args[0], args[1])
	if err != nil {
		return Value{}, err
	}
	seed, err := args[2].toInt()
	if err != nil {
		return Value{}, err
	}
	if size <= 0 {
		return Value{}, errors.New("permute size parameter must be greater than zero")
	}
	return Int(permute(val, size, seed)), nil
}

// Limits of the distributions' parameters (MIN_GAUSSIAN_PARAM and so on).
const (
	minGaussianParam = 2.0
	minZipfianParam  = 1.001
	maxZipfianParam  = 1000.0
)

// randomRange checks the bounds that all random functions start with: not
// empty, and with a number of values that is itself an int64.
func randomRange(args []Value) (lo, hi int64, err error) {
	lo, hi, err = toInts(args[0], args[1])
	switch {
	case err != nil:
		return 0, 0, err
	case lo > hi:
		return 0, 0, errors.New("empty range given to random")
	case uint64(hi)-uint64(lo) >= math.MaxInt64:
		return 0, 0, errors.New("random range is too large")
	}
	return lo, hi, nil
}

// shapedRange is randomRange with the parameter of the distribution. Callers
// check it so that a NaN fails, with which pgbench would draw for ever.
func shapedRange(args []Value) (lo, hi int64, param float64, err error) {
	if lo, hi, err = randomRange(args); err == nil {
		param, err = args[2].toDouble()
	}
	return lo, hi, param, err
}

func evalRandom(env *Env, args []Value) (Value, error) {
	lo, hi, err := randomRange(args)
	if err != nil {
		return Value{}, err
	}
	return Int(env.Rand.Int64Range(lo, hi)), nil
}

func evalExponential(env *Env, args []Value) (Value, error) {
	lo, hi, param, err := shapedRange(args)
	if err != nil {
		return Value{}, err
	}
	if !(param > 0) {
		return Value{}, fmt.Errorf("exponential parameter must be greater than zero (not %s)", fixed(param))
	}
	return Int(env.Rand.exponential(lo, hi, param)), nil
}

func evalGaussian(env *Env, args []Value) (Value, error) {
	lo, hi, param, err := shapedRange(args)
	if err != nil {
		return Value{}, err
	}
	if !(param >= minGaussianParam) {
		return Value{}, fmt.Errorf("gaussian parameter must be at least %s (not %s)",
			fixed(minGaussianParam), fixed(param))
	}
	return Int(env.Rand.gaussian(lo, hi, param)), nil
}

func evalZipfian(env *Env, args []Value) (Value, error) {
	lo, hi, param, err := shapedRange(args)
	if err != nil {
		return Value{}, err
	}
	if !(param >= minZipfianParam && param <= maxZipfianParam) {
		return Value{}, fmt.Errorf("zipfian parameter must be in range [%.3f, %.0f] (not %s)",
			minZipfianParam, maxZipfianParam, fixed(param))
	}
	return Int(env.Rand.zipfian(lo, hi, param)), nil
}

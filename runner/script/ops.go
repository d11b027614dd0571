package script

import (
	"errors"
	"math"
	"math/bits"
)

// op is an operator or function; those up to opSqrt take one argument, those
// up to opPow two.
type op uint8

const (
	opNeg op = iota
	opBitNot
	opNot
	opAbs
	opDebug
	opDouble
	opExp
	opInt
	opLn
	opSqrt

	opAdd
	opSub
	opMul
	opDiv
	opMod
	opBitAnd
	opBitOr
	opBitXor
	opShiftLeft
	opShiftRight
	opEq
	opNe
	opLt
	opLe
	opGt
	opGe
	opIs
	opHashFNV1A
	opHashMurmur2
	opPow

	opPi
	opLeast
	opGreatest
	opPermute
	opRandom
	opExponential
	opGaussian
	opZipfian
)

// isCall tells the functions that are evaluated by evalCall.
func (o op) isCall() bool { return o >= opPi }

// opSigns are the operators as they are written.
var opSigns = [...]string{
	opNeg: "- ", opBitNot: "~ ", opNot: "NOT ",
	opAdd: "+", opSub: "-", opMul: "*", opDiv: "/", opMod: "%",
	opBitAnd: "&", opBitOr: "|", opBitXor: "#", opShiftLeft: "<<", opShiftRight: ">>",
	opEq: "=", opNe: "<>", opLt: "<", opLe: "<=", opGt: ">", opGe: ">=", opIs: "IS",
	opPow: "",
}

// opNames are the functions as they are written.
var opNames = [...]string{
	opAbs: "abs", opDebug: "debug", opDouble: "double", opExp: "exp", opInt: "int",
	opLn: "ln", opSqrt: "sqrt", opHashFNV1A: "hash_fnv1a", opHashMurmur2: "hash_murmur2",
	opPow: "pow",
}

// sign returns the operator's sign, or nothing for a function.
func (o op) sign() string { return opSigns[o] }

func (o op) name() string { return opNames[o] }

var (
	errDivisionByZero = errors.New("division by zero")
	errAddRange       = errors.New("bigint add out of range")
	errSubRange       = errors.New("bigint sub out of range")
	errMulRange       = errors.New("bigint mul out of range")
	errDivRange       = errors.New("bigint div out of range")
)

// evalUnary applies an operator or function to an argument that is not NULL.
func evalUnary(o op, v Value) (Value, error) {
	switch o {
	case opNeg:
		return evalArith(opSub, Int(0), v)
	case opBitNot:
		i, err := v.toInt()
		return Int(^i), err
	case opNot:
		b, err := v.toBool()
		return Bool(!b), err
	case opAbs:
		return evalAbs(v)
	case opInt:
		i, err := v.toInt()
		return Int(i), err
	}
	f, err := v.toDouble()
	if err != nil {
		return Value{}, err
	}
	switch o {
	case opExp:
		f = expC(f)
	case opLn:
		f = logC(f)
	case opSqrt:
		f = math.Sqrt(f)
	}
	return Double(f), nil
}

// evalAbs keeps an integer an integer; the least one has no opposite and
// stays itself. pgbench reads a boolean's bits as a double (4.94e-324 for
// TRUE); that is an accident, and here an error.
func evalAbs(v Value) (Value, error) {
	if v.typ == TypeInt {
		if i := v.Int64(); i < 0 {
			return Int(-i), nil
		}
		return v, nil
	}
	f, err := v.toDouble()
	return Double(math.Abs(f)), err
}

// evalBinary applies an operator or function to arguments that are not NULL.
func evalBinary(o op, x, y Value) (Value, error) {
	switch o {
	case opAdd, opSub, opMul, opDiv, opMod:
		return evalArith(o, x, y)
	case opEq, opNe, opLt, opLe:
		return evalCompare(o, x, y)
	case opPow:
		f, g, err := toDoubles(x, y)
		return Double(powC(f, g)), err
	}
	i, j, err := toInts(x, y)
	if err != nil {
		return Value{}, err
	}
	switch o {
	case opBitAnd:
		return Int(i & j), nil
	case opBitOr:
		return Int(i | j), nil
	case opBitXor:
		return Int(i ^ j), nil
	// C leaves shifts by more than 63 open; the processors pgbench mostly
	// runs on take the count modulo 64.
	case opShiftLeft:
		return Int(i << (uint64(j) & 63)), nil
	case opShiftRight:
		return Int(i >> (uint64(j) & 63)), nil
	case opHashFNV1A:
		return Int(hashFNV1A(i, uint64(j))), nil
	default: // opHashMurmur2
		return Int(hashMurmur2(i, uint64(j))), nil
	}
}

func evalCompare(o op, x, y Value) (Value, error) {
	var eq, lt bool
	if x.typ == TypeDouble || y.typ == TypeDouble {
		f, g, err := toDoubles(x, y)
		if err != nil {
			return Value{}, err
		}
		eq, lt = f == g, f < g
	} else {
		i, j, err := toInts(x, y)
		if err != nil {
			return Value{}, err
		}
		eq, lt = i == j, i < j
	}
	switch o {
	case opEq:
		return Bool(eq), nil
	case opNe:
		return Bool(!eq), nil
	case opLt:
		return Bool(lt), nil
	default: // opLe
		return Bool(lt || eq), nil
	}
}

// evalArith computes with doubles if either argument is one, but % always
// with integers.
func evalArith(o op, x, y Value) (Value, error) {
	if o != opMod && (x.typ == TypeDouble || y.typ == TypeDouble) {
		f, g, err := toDoubles(x, y)
		if err != nil {
			return Value{}, err
		}
		switch o {
		case opAdd:
			return Double(f + g), nil
		case opSub:
			return Double(f - g), nil
		case opMul:
			return Double(f * g), nil
		default: // opDiv
			return Double(f / g), nil
		}
	}
	i, j, err := toInts(x, y)
	if err != nil {
		return Value{}, err
	}
	return evalIntArith(o, i, j)
}

func evalIntArith(o op, i, j int64) (Value, error) {
	switch o {
	case opAdd:
		sum := i + j
		if (sum > i) != (j > 0) && j != 0 {
			return Value{}, errAddRange
		}
		return Int(sum), nil
	case opSub:
		diff := i - j
		if (diff < i) != (j > 0) && j != 0 {
			return Value{}, errSubRange
		}
		return Int(diff), nil
	case opMul:
		if product, ok := mulInt(i, j); ok {
			return Int(product), nil
		}
		return Value{}, errMulRange
	}
	if j == 0 {
		return Value{}, errDivisionByZero
	}
	if o == opMod {
		return Int(i % j), nil
	}
	if i == math.MinInt64 && j == -1 {
		return Value{}, errDivRange
	}
	return Int(i / j), nil
}

// mulInt multiplies magnitudes in 128 bits.
func mulInt(i, j int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(i), magnitude(j))
	if (i < 0) != (j < 0) {
		return -int64(lo), hi == 0 && lo <= 1<<63
	}
	return int64(lo), hi == 0 && lo < 1<<63
}

func magnitude(i int64) uint64 {
	if i < 0 {
		return -uint64(i)
	}
	return uint64(i)
}

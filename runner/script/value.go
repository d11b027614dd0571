package script

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Type is the type of a Value.
type Type uint8

// The four types an expression can have.
const (
	TypeNull Type = iota
	TypeBool
	TypeInt
	TypeDouble
)

// String returns the type's name in pgbench's messages.
func (t Type) String() string {
	switch t {
	case TypeBool:
		return "boolean"
	case TypeInt:
		return "int"
	case TypeDouble:
		return "double"
	}
	return "null"
}

// Value is a value of the expression language. The zero Value is NULL. It
// holds no pointer, so values are copied freely and never allocated.
type Value struct {
	typ  Type
	bits uint64
}

// Null returns NULL.
func Null() Value { return Value{} }

// Bool returns a boolean.
func Bool(b bool) Value {
	if b {
		return Value{TypeBool, 1}
	}
	return Value{TypeBool, 0}
}

// Int returns a 64-bit integer.
func Int(i int64) Value { return Value{TypeInt, uint64(i)} }

// Double returns a double-precision number.
func Double(f float64) Value { return Value{TypeDouble, math.Float64bits(f)} }

// Type returns the value's type.
func (v Value) Type() Type { return v.typ }

// Bool returns the boolean; the value must be of TypeBool.
func (v Value) Bool() bool { return v.bits != 0 }

// Int64 returns the integer; the value must be of TypeInt.
func (v Value) Int64() int64 { return int64(v.bits) }

// Float64 returns the number; the value must be of TypeDouble.
func (v Value) Float64() float64 { return math.Float64frombits(v.bits) }

// Truth is the value as a condition of \if and CASE: numbers other than zero
// and TRUE hold, NULL does not.
func (v Value) Truth() bool {
	switch v.typ {
	case TypeDouble:
		return v.Float64() != 0
	case TypeNull:
		return false
	}
	return v.bits != 0
}

// AppendText appends the value as pgbench substitutes it into SQL: NULL,
// true, false, a decimal integer, or a double in C's %.15g.
func (v Value) AppendText(dst []byte) []byte {
	switch v.typ {
	case TypeBool:
		return strconv.AppendBool(dst, v.Bool())
	case TypeInt:
		return strconv.AppendInt(dst, v.Int64(), 10)
	case TypeDouble:
		return appendDouble(dst, v.Float64(), 'g', 15)
	}
	return append(dst, "NULL"...)
}

// AppendDebug appends the value as the debug function shows it: "int 5",
// "double 0.5", "boolean true", "null".
func (v Value) AppendDebug(dst []byte) []byte {
	dst = append(dst, v.typ.String()...)
	if v.typ == TypeNull {
		return dst
	}
	return v.AppendText(append(dst, ' '))
}

// appendDouble formats a double as PostgreSQL's own printf does, which names
// what is not finite the way SQL does and shows no sign of a NaN.
func appendDouble(dst []byte, f float64, verb byte, prec int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	return strconv.AppendFloat(dst, f, verb, prec, 64)
}

// fixed is %f, for messages.
func fixed(f float64) string { return string(appendDouble(nil, f, 'f', 6)) }

func (v Value) coerceError(to Type) error {
	return fmt.Errorf("cannot coerce %s to %s", v.typ, to)
}

func (v Value) toBool() (bool, error) {
	if v.typ != TypeBool {
		return false, v.coerceError(TypeBool)
	}
	return v.Bool(), nil
}

func (v Value) toDouble() (float64, error) {
	switch v.typ {
	case TypeDouble:
		return v.Float64(), nil
	case TypeInt:
		return float64(v.Int64()), nil
	}
	return 0, v.coerceError(TypeDouble)
}

// toInt rounds a double half to even, as C's rint does by default.
func (v Value) toInt() (int64, error) {
	switch v.typ {
	case TypeInt:
		return v.Int64(), nil
	case TypeDouble:
		f := math.RoundToEven(v.Float64())
		if f >= math.MinInt64 && f < -math.MinInt64 {
			return int64(f), nil
		}
		return 0, fmt.Errorf("double to int overflow for %s", fixed(f))
	}
	return 0, v.coerceError(TypeInt)
}

func toInts(a, b Value) (x, y int64, err error) {
	if x, err = a.toInt(); err == nil {
		y, err = b.toInt()
	}
	return x, y, err
}

func toDoubles(a, b Value) (x, y float64, err error) {
	if x, err = a.toDouble(); err == nil {
		y, err = b.toDouble()
	}
	return x, y, err
}

var (
	errNumberSyntax = errors.New("not a number")
	errNumberRange  = errors.New("out of range")
)

// parseInt reads a decimal integer with C's leading spaces and sign and
// trailing spaces. Unlike strconv it tells bad syntax from overflow for
// digits followed by junk: overflow wins, as it does in pgbench.
func parseInt(s []byte) (int64, error) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	neg := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	start := i
	var n uint64
	limit := uint64(math.MaxInt64)
	if neg {
		limit++
	}
	for ; i < len(s) && isDigit(s[i]); i++ {
		d := uint64(s[i] - '0')
		if n > (limit-d)/10 {
			return 0, errNumberRange
		}
		n = n*10 + d
	}
	if i == start {
		return 0, errNumberSyntax
	}
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	if i < len(s) {
		return 0, errNumberSyntax
	}
	if neg {
		return -int64(n), nil
	}
	return int64(n), nil
}

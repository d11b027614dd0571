package script

import (
	"bytes"
	"fmt"
)

// Vars holds one client's variables by slot. It belongs to that client and
// is not safe for concurrent use. Once its buffers have grown to the sizes
// in use it allocates nothing.
type Vars struct {
	syms *Symbols
	vars []variable
}

// A variable set from a query's result is text until an expression asks for
// its value; then it has both. One set by an expression has only a value.
type variable struct {
	set     bool
	isText  bool // text is what the variable was set to
	isTyped bool // value is valid
	value   Value
	text    []byte
}

// NewVars returns variables for the names of syms, all unset.
func NewVars(syms *Symbols) *Vars {
	return &Vars{syms: syms, vars: make([]variable, syms.Len())}
}

// at returns the variable of a slot, making room for names interned after
// NewVars (a script parsed later).
func (v *Vars) at(slot int) *variable {
	for slot >= len(v.vars) {
		v.vars = append(v.vars, variable{})
	}
	return &v.vars[slot]
}

// Set gives the variable a value.
func (v *Vars) Set(slot int, val Value) {
	x := v.at(slot)
	x.set, x.isText, x.isTyped, x.value = true, false, true, val
}

// SetText gives the variable a copy of b. What type it has is found out when
// an expression uses it, so text that is no value at all does no harm in SQL.
func (v *Vars) SetText(slot int, b []byte) {
	x := v.at(slot)
	x.set, x.isText, x.isTyped = true, true, false
	x.text = append(x.text[:0], b...)
}

// IsSet reports whether the variable has been set.
func (v *Vars) IsSet(slot int) bool {
	return slot < len(v.vars) && v.vars[slot].set
}

// AppendText appends the variable as text: what it was set to, or its value
// in pgbench's notation. An unset variable appends nothing.
func (v *Vars) AppendText(dst []byte, slot int) []byte {
	if !v.IsSet(slot) {
		return dst
	}
	x := &v.vars[slot]
	if x.isText {
		return append(dst, x.text...)
	}
	return x.value.AppendText(dst)
}

// Value returns the variable's value for an expression. It fails for an
// unset variable and for text that is neither NULL, a boolean nor a number.
func (v *Vars) Value(slot int) (Value, error) {
	if !v.IsSet(slot) {
		return Value{}, fmt.Errorf("undefined variable \"%s\"", v.syms.Name(slot))
	}
	x := &v.vars[slot]
	if !x.isTyped {
		val, err := typedValue(v.syms.Name(slot), x.text)
		if err != nil {
			return Value{}, err
		}
		x.value, x.isTyped = val, true
	}
	return x.value, nil
}

// typedValue gives text a type by pgbench's rule (makeVariableValue): any
// case of null, a prefix of true, yes, false or no, on, off or of; then
// whatever looks like an integer must be one; the rest must be a double.
func typedValue(name string, text []byte) (Value, error) {
	switch {
	case len(text) == 0:
		// pgbench gives up without a word here.
		return Value{}, malformed(name, text)
	case bytes.EqualFold(text, []byte("null")):
		return Null(), nil
	case isPrefixFold(text, "true"), isPrefixFold(text, "yes"), bytes.EqualFold(text, []byte("on")):
		return Bool(true), nil
	case isPrefixFold(text, "false"), isPrefixFold(text, "no"),
		len(text) > 1 && isPrefixFold(text, "off"):
		return Bool(false), nil
	case looksLikeInt(text):
		i, err := parseInt(text)
		switch err {
		case nil:
			return Int(i), nil
		case errNumberRange:
			return Value{}, fmt.Errorf("value \"%s\" is out of range for type bigint", text)
		}
		return Value{}, fmt.Errorf("invalid input syntax for type bigint: \"%s\"", text)
	}
	f, err := parseDouble(string(text))
	if err != nil {
		return Value{}, malformed(name, text)
	}
	return Double(f), nil
}

func malformed(name string, text []byte) error {
	return fmt.Errorf("malformed variable \"%s\" value: \"%s\"", name, text)
}

// isPrefixFold reports whether word starts with text, ignoring ASCII case.
func isPrefixFold(text []byte, word string) bool {
	return len(text) <= len(word) && bytes.EqualFold(text, []byte(word[:len(text)]))
}

// looksLikeInt is pgbench's is_an_int: spaces, a sign, digits. It lets the
// digits be missing, so that "+" is an integer with a mistake in it.
func looksLikeInt(s []byte) bool {
	s = bytes.TrimLeft(s, " \t\n\v\f\r")
	if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	for _, c := range s {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

package script

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestValueText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		v           Value
		text, debug string
	}{
		{Value{}, "NULL", "null"},
		{Null(), "NULL", "null"},
		{Bool(true), "true", "boolean true"},
		{Bool(false), "false", "boolean false"},
		{Int(math.MinInt64), "-9223372036854775808", "int -9223372036854775808"},
		{Double(0.1 + 0.2), "0.3", "double 0.3"},
		{Double(1e15), "1e+15", "double 1e+15"},
		{Double(123456789012345), "123456789012345", "double 123456789012345"},
		{Double(1e-5), "1e-05", "double 1e-05"},
		{Double(math.Copysign(0, -1)), "-0", "double -0"},
		{Double(math.Inf(1)), "Infinity", "double Infinity"},
		{Double(math.Inf(-1)), "-Infinity", "double -Infinity"},
		{Double(math.NaN()), "NaN", "double NaN"},
	} {
		if got := string(tt.v.AppendText(nil)); got != tt.text {
			t.Errorf("text %s, want %s", got, tt.text)
		}
		if got := string(tt.v.AppendDebug(nil)); got != tt.debug {
			t.Errorf("debug %s, want %s", got, tt.debug)
		}
	}
	if Int(-5).Int64() != -5 || Double(2.5).Float64() != 2.5 || !Bool(true).Bool() || Int(1).Type() != TypeInt {
		t.Error("a value lost its content")
	}
}

// TestTypedValue has results of pgbench 15.18 with -Dv=TEXT.
func TestTypedValue(t *testing.T) {
	t.Parallel()
	const malformed = "error: malformed variable \"v\" value: "
	for text, want := range map[string]string{
		"tRuE": "boolean true", "t": "boolean true", "y": "boolean true", "ye": "boolean true", "yes": "boolean true",
		"on": "boolean true", "ON": "boolean true", "o": malformed + `"o"`, "of": "boolean false", "off": "boolean false",
		"n": "boolean false", "no": "boolean false", "f": "boolean false", "fals": "boolean false",
		"nul": malformed + `"nul"`, "NULL": "null", "null": "null", "trueX": malformed + `"trueX"`, "": malformed + `""`,
		"+": `error: invalid input syntax for type bigint: "+"`, "+5": "int 5", " 5": "int 5", "5 ": malformed + `"5 "`,
		"0": "int 0", "00": "int 0", "-9223372036854775808": "int -9223372036854775808",
		"9223372036854775807":  "int 9223372036854775807",
		"99999999999999999999": `error: value "99999999999999999999" is out of range for type bigint`,
		"5.":                   "double 5", ".5": "double 0.5", "1e3": "double 1000", "0.0": "double 0", "0x10": "double 16", "0x1p4": "double 16",
		"inf": "double Infinity", "-Infinity": "double -Infinity", "nan": "double NaN", "-NaN": "double NaN",
		"1_000": malformed + `"1_000"`, "0x_1": malformed + `"0x_1"`, "0x": malformed + `"0x"`, "1e-320": malformed + `"1e-320"`,
		"1e400": malformed + `"1e400"`, "0e999": "double 0", "0x0p-9999": "double 0", "abc": malformed + `"abc"`,
		"1 2": malformed + `"1 2"`, "- 5": malformed + `"- 5"`, "--5": malformed + `"--5"`,
	} {
		syms := NewSymbols()
		slot := syms.Intern("v")
		vars := NewVars(syms)
		vars.SetText(slot, []byte(text))
		for range 2 { // the second time the type is known
			v, err := vars.Value(slot)
			got := string(v.AppendDebug(nil))
			if err != nil {
				got = "error: " + err.Error()
			}
			if got != want {
				t.Errorf("%q is %s, want %s", text, got, want)
			}
		}
		if got := string(vars.AppendText(nil, slot)); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestVars(t *testing.T) {
	t.Parallel()
	syms := NewSymbols()
	a := syms.Intern("a")
	vars := NewVars(syms)
	late := syms.Intern("late")
	if vars.IsSet(a) || vars.IsSet(late) || len(vars.AppendText(nil, late)) != 0 {
		t.Error("a new variable is set")
	}
	if _, err := vars.Value(late); err == nil || err.Error() != `undefined variable "late"` {
		t.Errorf("error %v", err)
	}
	text := []byte("12")
	vars.SetText(late, text)
	text[0] = '9'
	if v, err := vars.Value(late); err != nil || v != Int(12) {
		t.Errorf("%v, %v: not a copy of the text", v, err)
	}
	vars.Set(late, Double(0.5))
	if got := string(vars.AppendText(nil, late)); got != "0.5" {
		t.Errorf("text %s after a value was set", got)
	}
	vars.SetText(late, []byte("x"))
	if _, err := vars.Value(late); err == nil {
		t.Error("the old value outlived a new text")
	}
}

func TestVarsDoNotAllocate(t *testing.T) {
	s, syms := mustParse(t, "select :a, :b, ':nope' \\gset")
	vars := NewVars(syms)
	a, b := syms.Intern("a"), syms.Intern("b")
	text := []byte("some longer text")
	buf := make([]byte, 0, 256)
	step := func() {
		vars.SetText(a, text)
		vars.Set(b, Double(1.5))
		buf = s.Commands[0].AppendSimple(buf[:0], vars)
		if _, ok := syms.Lookup(text); ok {
			t.Error("found a name that is none")
		}
	}
	step()
	if want := "select some longer text, 1.5, ':nope' "; string(buf) != want {
		t.Errorf("got %q, want %q", buf, want)
	}
	if n := testing.AllocsPerRun(100, step); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSleepDuration(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line, v string
		want    time.Duration
		err     string
	}{
		{line: "1", want: time.Second},
		{line: "2 ms", want: 2 * time.Millisecond},
		{line: "3us", want: 3 * time.Microsecond},
		{line: "+4 S", want: 4 * time.Second},
		{line: "-4", want: 0},
		{line: "+", want: 0},
		{line: "3000", want: 3000 * time.Second},
		{line: "99999999999999999999", want: longestSleep},
		{line: ":v ms", v: "7", want: 7 * time.Millisecond},
		{line: ":v", v: " 8.9x", want: 8 * time.Second},
		{line: ":v", v: "0", want: 0},
		{line: ":v", v: "-9", want: 0},
		{line: ":v", v: "x", err: `sleep: invalid sleep time "x" for variable "v"`},
		{line: ":v", v: "-0", err: `sleep: invalid sleep time "-0" for variable "v"`},
		{line: ":w", err: `sleep: undefined variable "w"`},
		{line: "::v", err: `sleep: undefined variable ":v"`},
	} {
		s, syms := mustParse(t, `\sleep `+tt.line)
		vars := NewVars(syms)
		vars.SetText(syms.Intern("v"), []byte(tt.v))
		got, err := s.Commands[0].SleepDuration(vars)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != tt.want || text != tt.err {
			t.Errorf("%s: %v, %s; want %v, %s", tt.line, got, text, tt.want, tt.err)
		}
	}
}

func TestShellLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ line, want, err string }{
		{line: `\shell echo  :v ::v :::v a:v \`, want: `echo a b :v ::v a:v \`},
		{line: `\setshell x :v 1`, want: "a b 1"},
		{line: `\shell echo ::v :nope`, err: `echo: undefined variable ":nope"`},
		{line: `\setshell x :no :nope`, err: `:no: undefined variable ":no"`},
		{line: `\shell ` + strings.Repeat("x", 254), want: strings.Repeat("x", 254)},
		{line: `\shell e ` + strings.Repeat("x", 253), err: "e: shell command is too long"},
	} {
		s, syms := mustParse(t, tt.line)
		vars := NewVars(syms)
		vars.SetText(syms.Intern("v"), []byte("a b"))
		got, err := s.Commands[0].ShellLine(vars)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != tt.want || text != tt.err {
			t.Errorf("%s: %s, %s; want %s, %s", tt.line, got, text, tt.want, tt.err)
		}
	}
}

// TestSetTextRoundTrip: a value's text, typed again, is the value.
func TestSetTextRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(
			rapid.Map(rapid.Int64(), Int),
			rapid.Map(rapid.Bool(), Bool),
			rapid.Just(Null()),
		).Draw(t, "value")
		got, err := typedValue("v", v.AppendText(nil))
		if err != nil || got != v {
			t.Fatalf("%s became %s, %v", v.AppendText(nil), got.AppendText(nil), err)
		}
	})
}

package result

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// leaves are the fields that a configuration is made of.
func leaves(v reflect.Value) []reflect.Value {
	var out []reflect.Value
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Struct {
			out = append(out, leaves(f)...)
		} else {
			out = append(out, f)
		}
	}
	return out
}

// change gives a field another value.
func change(f reflect.Value) {
	switch {
	case f.Type() == reflect.TypeFor[Assignments]():
		f.SetString(string(Assign(map[string]string{"some_name": "other" + f.String()})))
	case f.Kind() == reflect.String:
		f.SetString(f.String() + "x")
	case f.Kind() == reflect.Bool:
		f.SetBool(!f.Bool())
	case f.CanInt():
		f.SetInt(f.Int() + 1)
	case f.CanUint():
		f.SetUint(f.Uint() + 1)
	default:
		f.SetFloat(f.Float() + 0.5)
	}
}

// A field that is no factor would let two different things count as the same.
func TestEveryFieldIsAFactor(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	fields := leaves(reflect.ValueOf(&Configuration{}).Elem())
	for i := range fields {
		var c Configuration
		change(leaves(reflect.ValueOf(&c).Elem())[i])
		diff := Configuration{}.Diff(c)
		if len(diff) != 1 || seen[diff[0].Name] && diff[0].Name != "some_name" {
			t.Errorf("field %d (%+v): %v", i, c, diff)
			continue
		}
		seen[diff[0].Name] = true
		if got := c.Without(diff[0].Name); got != (Configuration{}) {
			t.Errorf("without %s it is %+v", diff[0].Name, got)
		}
	}
	if n := len(fields) - 2; len(plainFactors) != n {
		t.Errorf("%d factors for %d plain fields", len(plainFactors), n)
	}
}

func configurations(t *rapid.T, label string) Configuration {
	var c Configuration
	for i, f := range leaves(reflect.ValueOf(&c).Elem()) {
		switch {
		case f.Type() == reflect.TypeFor[Assignments]():
			// Parameters may have the names of flags, and settings never do.
			names := []string{"batch", "work", "orders", "rate"}
			if i == len(leaves(reflect.ValueOf(&c).Elem()))-1 {
				names = []string{"fsync", "work_mem"}
			}
			f.SetString(string(Assign(rapid.MapOf(rapid.SampledFrom(names), rapid.SampledFrom([]string{"", "1", "2"})).Draw(t, label))))
		case f.Kind() == reflect.String:
			f.SetString(rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, label))
		case f.Kind() == reflect.Bool:
			f.SetBool(rapid.Bool().Draw(t, label))
		case f.CanInt():
			f.SetInt(rapid.Int64Range(0, 2).Draw(t, label))
		case f.CanUint():
			f.SetUint(rapid.Uint64Range(0, 2).Draw(t, label))
		default:
			f.SetFloat(rapid.SampledFrom([]float64{0, 0.1, 0.30000000000000004, 0.3}).Draw(t, label))
		}
	}
	return c
}

// Nothing differs if and only if both are equal, and without what differs they are.
func TestConfigurationLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := configurations(t, "a"), configurations(t, "b")
		// Most pairs should differ in little.
		for i, f := range leaves(reflect.ValueOf(&b).Elem()) {
			if rapid.IntRange(0, 9).Draw(t, "keep") > 0 {
				f.Set(leaves(reflect.ValueOf(&a).Elem())[i])
			}
		}
		diff := a.Diff(b)
		if (len(diff) == 0) != (a == b) {
			t.Fatalf("%v between\n%+v\n%+v", diff, a, b)
		}
		var names []string
		for _, d := range diff {
			if slices.Contains(names, d.Name) {
				t.Fatalf("%s is named twice: %v", d.Name, diff)
			}
			names = append(names, d.Name)
		}
		if a.Without(names...) != b.Without(names...) {
			t.Fatalf("without %v they are\n%+v\n%+v", names, a.Without(names...), b.Without(names...))
		}
		// Each name takes exactly its own difference away.
		for i, name := range names {
			left := a.Without(name).Diff(b.Without(name))
			if want := slices.Delete(slices.Clone(diff), i, i+1); !slices.Equal(left, want) {
				t.Fatalf("without %s there is left %v, want %v", name, left, want)
			}
		}
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var back Configuration
		if err := json.Unmarshal(data, &back); err != nil || back != a {
			t.Fatalf("%s is read as %+v (%v)", data, back, err)
		}
	})
}

func TestDifferencesReadWell(t *testing.T) {
	t.Parallel()
	a := Configuration{Strategy: "skip-locked", Clients: 8, Mode: "prepared", Enqueue: Enqueue{Producers: 2}, Params: Assign(map[string]string{"batch": "10"})}
	b := a
	b.Index, b.Enqueue.Rate, b.Params = "partial", 2000, Assign(map[string]string{"batch": "20", "rate": "1"})
	var got []string
	for _, d := range a.Diff(b) {
		got = append(got, d.String())
	}
	if got, want := strings.Join(got, "; "), "index none against partial; enqueue-rate none against 2000; -D rate none against 1; batch 10 against 20"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got, want := a.String(), "skip-locked batch=10 --producers=2, prepared, 8 clients"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

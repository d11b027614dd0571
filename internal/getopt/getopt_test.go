package getopt

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var sample = []Flag{
	{[]string{"client", "c"}, "N"}, {[]string{"orders"}, "N"}, {[]string{"report", "r"}, ""}, {[]string{"unlogged"}, ""}, {[]string{"define", "D"}, "NAME=VALUE"},
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line  string
		flags string
		rest  string
		help  bool
	}{
		{"-c256", "--client=256", "", false},
		{"-c 256", "--client=256", "", false},
		{"-c=256", "--client=256", "", false},
		{"--client=256", "--client=256", "", false},
		{"--client 256", "--client=256", "", false},
		{"-rc256", "--report --client=256", "", false},
		{"-r -r", "--report --report", "", false},
		{"x -c 8 y", "--client=8", "x y", false},
		{"-c -1", "--client=-1", "", false},
		{"--orders -r", "--orders=-r", "", false},
		{"--unlogged -- -c 8", "--unlogged", "-c 8", false},
		{"-Da=b=c --define=d=e,f", "--define=a=b=c --define=d=e,f", "", false},
		{"-", "", "-", false},
		{"-c 8 -h --nonsense", "--client=8", "", true},
		{"--help", "", "", true},
		{"-?", "", "", true},
	} {
		got, err := Parse(sample, strings.Fields(c.line))
		if err != nil || words(got.Flags) != c.flags || strings.Join(got.Positionals, " ") != c.rest || got.Help != c.help {
			t.Errorf("%s: %+v, %v", c.line, got, err)
		}
	}
}

// However a flag is spelt and wherever it stands, it means the same, and no
// value is taken apart.
func TestSpellingsAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type given struct{ name, value string }
		values := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) given {
			return given{rapid.SampledFrom([]string{"c", "D"}).Draw(t, "flag"), rapid.StringMatching(`[a-z0-9,@:=/ .-]{1,8}`).Draw(t, "value")}
		}), 0, 5).Draw(t, "flags")
		long := map[string]string{"c": "client", "D": "define"}
		var args, want []string
		for _, g := range values {
			// "-c=8" drops the sign, so a value that begins with one has to
			// be spelt out.
			spellings := []func() []string{
				func() []string { return []string{"-" + g.name, g.value} },
				func() []string { return []string{"--" + long[g.name], g.value} },
				func() []string { return []string{"--" + long[g.name] + "=" + g.value} },
				func() []string { return []string{"-" + g.name + "=" + g.value} },
			}
			if g.value[0] != '=' && !strings.HasPrefix(long[g.name], g.name+g.value) {
				spellings = append(spellings, func() []string { return []string{"-" + g.name + g.value} }, func() []string { return []string{"-r" + g.name + g.value} })
			}
			args = append(args, rapid.SampledFrom(spellings).Draw(t, "spelling")()...)
			want = append(want, g.value)
		}
		got, err := Parse(sample, args)
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		var values2 []string
		for _, f := range got.Flags {
			if !f.Switch {
				values2 = append(values2, f.Value)
			}
		}
		if !slices.Equal(values2, want) {
			t.Fatalf("%q gives %q, want %q", args, values2, want)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("-c256\x00-r\x00x")
	f.Add("--client\x00--\x00-h")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		got, err := Parse(sample, args)
		if err != nil || got.Help {
			return
		}
		// The canonical form is one: parsed again it stays as it is.
		again, err := Parse(sample, canonical(got))
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Fatalf("%q: %+v, again %+v, %v", args, got, again, err)
		}
	})
}

// canonical writes arguments in long form.
func canonical(a Arguments) []string {
	var out []string
	for _, f := range a.Flags {
		out = append(out, f.String())
	}
	return append(append(out, "--"), a.Positionals...)
}

func words(flags []Given) string {
	return strings.Join(canonical(Arguments{Flags: flags})[:len(flags)], " ")
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"--c 8":         `unknown flag --c: did you mean "-c"?`,
		"--clinet 8":    `unknown flag --clinet: did you mean "--client"?`,
		"-rz":           "unknown flag -z",
		"-orders 8":     "unknown flag -orders: did you mean --orders?",
		"-c":            "-c needs a value: -c N",
		"--define":      "--define needs a value: --define NAME=VALUE",
		"--unlogged=no": `--unlogged takes no value, but was given "no"`,
	} {
		if _, err := Parse(sample, strings.Fields(line)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

package cli

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
	"pgregory.net/rapid"
)

var sample = &cli.Command{Name: "sample", Flags: []cli.Flag{
	&cli.StringFlag{Name: "client", Aliases: []string{"c"}},
	&cli.StringFlag{Name: "orders"},
	&cli.BoolFlag{Name: "report", Aliases: []string{"r"}},
	&cli.BoolFlag{Name: "unlogged"},
	&cli.StringSliceFlag{Name: "define", Aliases: []string{"D"}},
}}

func TestParseArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line  string
		flags string
		rest  string
		help  bool
	}{
		{"-c256", "--c=256", "", false},
		{"-c 256", "--c=256", "", false},
		{"-c=256", "--c=256", "", false},
		{"--client=256", "--client=256", "", false},
		{"--client 256", "--client=256", "", false},
		{"-rc256", "--r --c=256", "", false},
		{"-r -r", "--r --r", "", false},
		{"x -c 8 y", "--c=8", "x y", false},
		{"-c -1", "--c=-1", "", false},
		{"--orders -r", "--orders=-r", "", false},
		{"--unlogged -- -c 8", "--unlogged", "-c 8", false},
		{"-Da=b=c --define=d=e,f", "--D=a=b=c --define=d=e,f", "", false},
		{"-", "", "-", false},
		{"-c 8 -h --nonsense", "--c=8", "", true},
		{"--help", "", "", true},
		{"-?", "", "", true},
	} {
		got, err := parseArguments(sample, strings.Fields(c.line))
		if err != nil || strings.Join(got.flags, " ") != c.flags || strings.Join(got.positionals, " ") != c.rest || got.help != c.help {
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
		got, err := parseArguments(sample, args)
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		var values2 []string
		for _, f := range got.flags {
			if f == "--r" {
				continue
			}
			_, value, _ := strings.Cut(f, "=")
			values2 = append(values2, value)
		}
		if !slices.Equal(values2, want) {
			t.Fatalf("%q gives %q, want %q", args, values2, want)
		}
	})
}

func FuzzParseArguments(f *testing.F) {
	f.Add("-c256\x00-r\x00x")
	f.Add("--client\x00--\x00-h")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		got, err := parseArguments(sample, args)
		if err != nil || got.help {
			return
		}
		// The canonical form is one: parsed again it stays as it is.
		again, err := parseArguments(sample, canonical(got))
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Fatalf("%q: %+v, again %+v, %v", args, got, again, err)
		}
	})
}

// canonical writes arguments in long form, where letters stand for names.
func canonical(a arguments) []string {
	letters := map[string]string{"--c=": "-c=", "--D=": "-D="}
	var out []string
	for _, f := range a.flags {
		switch {
		case f == "--r":
			f = "-r"
		case len(f) > 3 && letters[f[:4]] != "":
			f = letters[f[:4]] + f[4:]
		}
		out = append(out, f)
	}
	return append(append(out, "--"), a.positionals...)
}

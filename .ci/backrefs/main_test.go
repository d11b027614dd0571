package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCountsReferencesThatRunBack: b uses a method, a field and a constant of a; a uses a function of b, and c a type of both.
func TestCountsReferencesThatRunBack(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module m\n\ngo 1.24\n",
		"a.go":      "package m\n\ntype A struct{ field int }\n\nconst one = 1\n\nfunc (a A) Method() int { return three() }\n",
		"b.go":      "package m\n\ntype B struct{}\n\nfunc (B) two(a A) int { return a.Method() + a.field + one }\n\nfunc three() int { return 3 }\n",
		"c.go":      "package m\n\nvar _, _ = A{}, B{}\n",
		"d_test.go": "package m\n\nvar _ = three()\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out bytes.Buffer
	if err := report(&out, true, 1, []string{"."}); err != nil {
		t.Fatal(err)
	}
	if err := report(io.Discard, false, 0, []string{"."}); err == nil {
		t.Error("one reference more than may be is no error")
	}
	const want = "m: 1 of 4 references between 3 files run back up; 2 files refer to each other in a circle\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("got %swant %s", out.String(), want)
	}
}

// TestFindsTheBestOrder: a circle of files, each of which also uses all behind the next one, has one reference that runs back.
func TestFindsTheBestOrder(t *testing.T) {
	const n = 9
	g := &graph{files: make([]string, n), uses: map[edge]map[string]bool{}}
	shuffled := func(i int) int { return i * 4 % n }
	for i := range n {
		for j := i + 1; j < n; j++ {
			g.uses[edge{shuffled(i), shuffled(j)}] = map[string]bool{"x": true}
		}
	}
	g.uses[edge{shuffled(n - 1), shuffled(0)}] = map[string]bool{"x": true}
	if back := g.back(g.order()); len(back) != 1 {
		t.Errorf("%d references run back, where 1 has to", len(back))
	}
}

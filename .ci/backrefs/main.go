// Backrefs counts, for each package named on the command line, the references
// between its files that run back up.
//
//	go run ./.ci/backrefs ./runner ./internal/cli
//
// File A refers to file B where A uses anything that B declares: a type, a
// function, a method, a field, a constant or a variable. However many uses there
// are, that is one reference from A to B. Tests are left out, and so are files
// for other systems. The files are put into the order in which the fewest
// references run from a file to an earlier one; those are the references that
// run back up, and none is left where the files form layers. The order is found
// by search (see order), so the figure is an upper bound, the same in each run.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

func main() {
	list := flag.Bool("list", false, "print the files in order, and every reference that runs back up")
	most := flag.Int("most", -1, "fail where more than `N` references of a package run back up; negative is no limit")
	flag.Parse()
	if err := report(os.Stdout, *list, *most, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "backrefs:", err)
		os.Exit(1)
	}
}

// report prints a line for each package and, with list, the references. It fails
// where a package has more than most, if that is not negative.
func report(w io.Writer, list bool, most int, patterns []string) error {
	packages, exports, err := goList(patterns)
	if err != nil {
		return err
	}
	var failed error
	for _, p := range packages {
		g, err := p.references(exports)
		if err != nil {
			return err
		}
		ordered := g.order()
		back := g.back(ordered)
		if list {
			for _, f := range ordered {
				fmt.Fprintf(w, "\t%s\n", g.files[f])
			}
			for _, e := range back {
				fmt.Fprintf(w, "\t%s uses %s\n", g.files[e.from], g.files[e.to])
				fmt.Fprintf(w, "\t\t%s\n", g.names(e))
			}
		}
		fmt.Fprintf(w, "%s: %d of %d references between %d files run back up; %d files refer to each other in a circle\n",
			p.ImportPath, len(back), len(g.uses), len(g.files), g.circular())
		if most >= 0 && len(back) > most {
			failed = fmt.Errorf("%s: %d references between files run back up, and at most %d may: -list names them", p.ImportPath, len(back), most)
		}
	}
	return failed
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// goList compiles the packages and returns them, and where the compiler left
// what each of their imports exports.
func goList(patterns []string) (packages []listed, exports map[string]string, err error) {
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly", "--"}, patterns...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w", err)
	}
	exports = map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, exports, nil
		} else if err != nil {
			return nil, nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			packages = append(packages, p)
		}
	}
}

// references type-checks the package and finds who uses whose declarations.
func (p listed) references(exports map[string]string) (*graph, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup)}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	pkg, err := conf.Check(p.ImportPath, fset, files, info)
	if err != nil {
		return nil, err
	}
	g := &graph{files: p.GoFiles, uses: map[edge]map[string]bool{}}
	at := func(pos token.Pos) int { return slices.Index(p.GoFiles, filepath.Base(fset.Position(pos).Filename)) }
	for id, obj := range info.Uses {
		if obj.Pkg() != pkg || !obj.Pos().IsValid() {
			continue
		}
		e := edge{at(id.Pos()), at(obj.Pos())}
		if e.from == e.to {
			continue
		}
		if g.uses[e] == nil {
			g.uses[e] = map[string]bool{}
		}
		g.uses[e][obj.Name()] = true
	}
	return g, nil
}

// edge is a reference from a file to another one, by number.
type edge struct{ from, to int }

// graph is a package's files and the names through which each refers to others.
type graph struct {
	files []string
	uses  map[edge]map[string]bool
}

func (g *graph) has(from, to int) bool { return g.uses[edge{from, to}] != nil }

// starts is how many orders the search begins with. For this repository's
// packages a tenth of them finds the same.
const starts = 200

// order puts the files into an order in which few references run back. From an
// order drawn at random it moves one file at a time to its best place until no
// move helps. It begins several times, since a search may end where only two
// moves together would help; the seed is fixed.
func (g *graph) order() []int {
	best := make([]int, len(g.files))
	for i := range best {
		best[i] = i
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range starts {
		o := r.Perm(len(g.files))
		for g.improve(o) {
		}
		if len(g.back(o)) < len(g.back(best)) {
			best = o
		}
	}
	return best
}

// improve moves the first file that has a better place; false where none has.
func (g *graph) improve(o []int) bool {
	for i, f := range o {
		best, gain := i, 0
		for _, step := range []int{-1, 1} {
			// Passing a file that f refers to on the way up turns that reference forward.
			sum := 0
			for j := i + step; j >= 0 && j < len(o); j += step {
				above, below := o[j], f
				if step > 0 {
					above, below = f, o[j]
				}
				if g.has(below, above) {
					sum++
				}
				if g.has(above, below) {
					sum--
				}
				if sum > gain {
					best, gain = j, sum
				}
			}
		}
		if gain > 0 {
			if best < i {
				copy(o[best+1:i+1], o[best:i])
			} else {
				copy(o[i:best], o[i+1:best+1])
			}
			o[best] = f
			return true
		}
	}
	return false
}

// back lists the references from a file to an earlier one.
func (g *graph) back(order []int) (back []edge) {
	for i, from := range order {
		for _, to := range order[:i] {
			if g.has(from, to) {
				back = append(back, edge{from, to})
			}
		}
	}
	return back
}

// circular counts the files that refer to themselves through others.
func (g *graph) circular() (n int) {
	for f := range g.files {
		seen := map[int]bool{}
		for todo := []int{f}; len(todo) > 0; {
			at := todo[0]
			todo = todo[1:]
			for to := range g.files {
				if g.has(at, to) && !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
		if seen[f] {
			n++
		}
	}
	return n
}

// names lists what a reference uses, in alphabetical order.
func (g *graph) names(e edge) []string {
	var names []string
	for name := range g.uses[e] {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

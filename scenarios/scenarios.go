package scenarios

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"qbench/internal/nearest"
	"qbench/runner/script"
)

//go:embed *.sql
var files embed.FS

// folder is where the embedded files are in the repository; with it in front,
// a script's name is the same under qbench and under pgbench run from there.
const folder = "scenarios"

// Param is a variable of a script with its default.
type Param struct{ Name, Default, Help string }

// Scenario is what a client does: a strategy.
type Scenario struct {
	Name    string // the file's name without .sql
	Summary string
	// Workload and Layouts say which tables it runs on; "" and nil are any.
	Workload string
	Layouts  []string
	// Params are the user's to set; State holds start values of variables that
	// last from one transaction to the next.
	Params, State []Param
	// Inline and Functions: see the package's documentation.
	Inline, Functions []string
	Path              string // of the file, as pgbench would be given it
	Source            string
	Script            *script.Script
	// Orders holds one entry per command, nil where nothing is counted, and Most
	// the most orders that one execution of it does, nil where no note says so.
	Orders []script.OrderCount
	Most   []script.RowLimit
}

// List returns the shipped strategies, by workload and name. Their scripts
// share no symbols with any run: use Load for a script to run.
func List() []*Scenario {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	list := make([]*Scenario, len(names))
	for i, name := range names {
		s, err := loadEmbedded(strings.TrimSuffix(name, ".sql"), script.NewSymbols())
		if err != nil {
			panic(err) // a shipped file is wrong; the tests load them all
		}
		list[i] = s
	}
	slices.SortFunc(list, func(a, b *Scenario) int {
		return cmp.Or(cmp.Compare(a.Workload, b.Workload), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// Names returns the names of the shipped strategies in List's order.
func Names() []string {
	var names []string
	for _, s := range List() {
		names = append(names, s.Name)
	}
	return names
}

// Load returns a strategy by name, or from a file if the name has a folder or
// ends in .sql. Its variables go into syms, which all scripts of a run share.
func Load(name string, syms *script.Symbols) (*Scenario, error) {
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".sql") {
		return LoadFile(name, syms)
	}
	s, err := loadEmbedded(name, syms)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return nil, fmt.Errorf("unknown strategy %q%s (\"qbench strategies\" lists them; a file is given as ./FILE.sql)", name, nearest.DidYouMean(name, Names()))
	}
	return s, err
}

func loadEmbedded(name string, syms *script.Symbols) (*Scenario, error) {
	source, err := files.ReadFile(name + ".sql")
	if err != nil {
		return nil, err
	}
	return parse(path.Join(folder, name+".sql"), string(source), syms)
}

// LoadFile reads a user's file as a strategy.
func LoadFile(file string, syms *script.Symbols) (*Scenario, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the strategy: %w", err)
	}
	return parse(file, string(source), syms)
}

func parse(file, source string, syms *script.Symbols) (*Scenario, error) {
	sc, err := script.Parse(file, source, syms)
	if err != nil {
		return nil, err
	}
	s := &Scenario{
		Name:   strings.TrimSuffix(filepath.Base(file), ".sql"),
		Path:   file,
		Source: source,
		Script: sc,
	}
	if err := sc.CheckNames(); err != nil {
		return nil, err
	}
	if err := readHeader(s, sc); err != nil {
		return nil, err
	}
	return s, nil
}

// CountsOrders tells whether any statement's result counts as orders done.
func (s *Scenario) CountsOrders() bool { return s.Orders != nil }

// HasParam tells whether the user may set the param.
func (s *Scenario) HasParam(name string) bool {
	return slices.ContainsFunc(s.Params, func(p Param) bool { return p.Name == name })
}

// Fits reports why the strategy does not run on a layout.
func (s *Scenario) Fits(layout string) error {
	if len(s.Layouts) == 0 || slices.Contains(s.Layouts, layout) {
		return nil
	}
	return fmt.Errorf("the strategy %q does not fit the layout %q: it runs on %s", s.Name, layout, strings.Join(s.Layouts, ", "))
}

// Variables returns the start values of the script's variables: its defaults,
// then for the params clients and partitions the run's own numbers (0 leaves
// the default), then what the user gave.
func (s *Scenario) Variables(clients, partitions int, given map[string]string) map[string]string {
	vars := map[string]string{}
	for _, p := range slices.Concat(s.Params, s.State) {
		vars[p.Name] = p.Default
	}
	for name, n := range map[string]int{"clients": clients, "partitions": partitions} {
		if n > 0 && s.HasParam(name) {
			vars[name] = fmt.Sprint(n)
		}
	}
	for name, value := range given {
		vars[name] = value
	}
	return vars
}

package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"qbench/internal/nearest"
	"qbench/runner/script"
)

// Workloads and their layouts, for checking headers. The schema package has
// them too, but importing it would bring a database driver in here.
var workloadLayouts = map[string][]string{
	"orders": {"plain", "unlogged", "partitioned"},
	"claims": {"plain", "unlogged"},
	"jobs":   {"plain", "unlogged"},
}

// header reads the notes of a script into a Scenario.
type header struct {
	s    *Scenario
	sc   *script.Script
	seen map[string]bool
	note script.Note // the one being read
}

// readHeader fills in what the script's notes say.
func readHeader(s *Scenario, sc *script.Script) error {
	h := &header{s: s, sc: sc, seen: map[string]bool{}}
	for _, h.note = range sc.Notes {
		if err := h.read(); err != nil {
			return err
		}
	}
	return h.finish()
}

// errorf locates a message at the note being read.
func (h *header) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", h.sc.Name, h.note.Line, h.note.Column, fmt.Sprintf(format, args...))
}

func (h *header) read() error {
	left, value, hasValue := strings.Cut(h.note.Text, "=")
	value = strings.TrimSpace(value)
	words := strings.Fields(left)
	if len(words) == 0 {
		return h.errorf("a key is missing: write \"-- qbench: key = value\"")
	}
	key := words[0]
	if key == "orders" && len(words) == 1 {
		return h.readOrders(value, hasValue)
	}
	if key == "rows" && len(words) == 1 {
		return h.readRows(value)
	}
	set, ok := headerKeys[key]
	if !ok {
		return h.errorf("unknown key %q%s", key, nearest.DidYouMean(key, knownKeys))
	}
	named := key == "param" || key == "state"
	switch {
	case h.note.Command > 0 || h.inStatement():
		return h.errorf("%q belongs above the first command", key)
	case named && (len(words) != 2 || value == ""):
		return h.errorf("%q needs a name and a value: write \"-- qbench: %s name = value\"", key, key)
	case !named && (len(words) != 1 || value == ""):
		return h.errorf("%q needs a value: write \"-- qbench: %s = value\"", key, key)
	case !named && h.seen[key]:
		return h.errorf("%q is given twice", key)
	}
	h.seen[key] = true
	return set(h, words[len(words)-1], value)
}

// inStatement tells whether the note stands inside of a statement's text.
func (h *header) inStatement() bool {
	i := h.note.Command
	return i < len(h.sc.Commands) && h.note.Line > h.sc.Commands[i].Line
}

// headerKeys maps each key to what it sets; name is the second word of a param
// or state. Notes that count orders are not among them: they stand anywhere.
var headerKeys = map[string]func(h *header, name, value string) error{
	"summary": func(h *header, _, value string) error {
		h.s.Summary = value
		return nil
	},
	"workload": func(h *header, _, value string) error {
		if workloadLayouts[value] == nil {
			return h.errorf("unknown workload %q%s", value, nearest.DidYouMean(value, slices.Sorted(maps.Keys(workloadLayouts))))
		}
		h.s.Workload = value
		return nil
	},
	"layouts":   func(h *header, _, value string) error { return h.list(&h.s.Layouts, value) },
	"functions": func(h *header, _, value string) error { return h.list(&h.s.Functions, value) },
	"inline":    (*header).readInline,
	"param": func(h *header, name, value string) error {
		def, help, _ := strings.Cut(" "+value, " :")
		return h.addVariable(&h.s.Params, Param{Name: name, Default: strings.TrimSpace(def), Help: strings.TrimSpace(help)})
	},
	"state": func(h *header, name, value string) error {
		return h.addVariable(&h.s.State, Param{Name: name, Default: value})
	},
}

// knownKeys lists all keys, for suggestions.
var knownKeys = append(slices.Sorted(maps.Keys(headerKeys)), "orders", "rows")

func (h *header) addVariable(list *[]Param, p Param) error {
	given := func(v Param) bool { return v.Name == p.Name }
	switch {
	case !script.ValidName(p.Name):
		return h.errorf("%q is no variable name", p.Name)
	case p.Default == "":
		return h.errorf("the variable %q needs a value", p.Name)
	case slices.ContainsFunc(h.s.Params, given), slices.ContainsFunc(h.s.State, given):
		return h.errorf("the variable %q is given twice", p.Name)
	case !h.used(p.Name):
		return h.errorf("nothing in the script uses the variable %q", p.Name)
	}
	*list = append(*list, p)
	return nil
}

// used tells whether a statement or a meta command reads the variable.
func (h *header) used(name string) bool {
	return slices.ContainsFunc(h.sc.Commands, func(c script.Command) bool {
		return inSQL(c, name) || c.Kind != script.SQL && mentions(c.Text, name)
	})
}

func inSQL(c script.Command, name string) bool {
	return slices.ContainsFunc(c.Pieces, func(p script.Piece) bool { return p.Slot >= 0 && p.Name == name })
}

// mentions tells whether :name stands in the text of a meta command, whose
// parsed form does not list its variables.
func mentions(text, name string) bool {
	for {
		_, rest, found := strings.Cut(text, ":"+name)
		if !found {
			return false
		}
		if rest == "" || !script.ValidName("x"+rest[:1]) {
			return true
		}
		text = rest
	}
}

func (h *header) readInline(_, value string) error {
	if err := h.list(&h.s.Inline, value); err != nil {
		return err
	}
	for _, name := range h.s.Inline {
		if !slices.ContainsFunc(h.sc.Commands, func(c script.Command) bool { return inSQL(c, name) }) {
			return h.errorf("no statement uses the variable %q", name)
		}
	}
	return nil
}

func (h *header) list(items *[]string, value string) error {
	for item := range strings.SplitSeq(value, ",") {
		item = strings.TrimSpace(item)
		switch {
		case item == "":
			return h.errorf("an entry of the list is empty")
		case slices.Contains(*items, item):
			return h.errorf("%q is listed twice", item)
		}
		*items = append(*items, item)
	}
	return nil
}

// readOrders marks the statement below the note as the one that counts.
func (h *header) readOrders(value string, hasValue bool) error {
	how := script.CountRows
	switch {
	case hasValue && value == "value":
		how = script.CountValue
	case hasValue:
		return h.errorf("orders can be counted by rows (\"orders\") or by \"orders = value\", not by %q", value)
	}
	i, err := h.marked("orders")
	if err != nil {
		return err
	}
	if h.s.Orders == nil {
		h.s.Orders = make([]script.OrderCount, len(h.sc.Commands))
	}
	if h.s.Orders[i] != script.NotCounted {
		return h.errorf("the statement below has \"orders\" twice")
	}
	h.s.Orders[i] = how
	return nil
}

// readRows notes the most orders that one execution of the statement does: a
// number, or the variable that says so.
func (h *header) readRows(value string) error {
	i, err := h.marked("rows")
	if err != nil {
		return err
	}
	var most script.RowLimit
	switch n, err := strconv.ParseInt(value, 10, 64); {
	case err == nil && n > 0:
		most.N = n
	case script.ValidName(value) && err != nil:
		most.Variable = value
	default:
		return h.errorf("\"rows\" is a number of orders or a variable, not %q", value)
	}
	if h.s.Most == nil {
		h.s.Most = make([]script.RowLimit, len(h.sc.Commands))
	}
	if h.s.Most[i] != (script.RowLimit{}) {
		return h.errorf("the statement below has \"rows\" twice")
	}
	h.s.Most[i] = most
	return nil
}

// marked is the command that a note above a statement belongs to.
func (h *header) marked(key string) (int, error) {
	i := h.note.Command
	switch {
	case h.inStatement():
		return 0, h.errorf("%q belongs above the statement, not inside of it", key)
	case i >= len(h.sc.Commands) || h.sc.Commands[i].Kind != script.SQL:
		return 0, h.errorf("%q belongs right above an SQL statement", key)
	}
	return i, nil
}

// finish checks what can be judged only with the whole header.
func (h *header) finish() error {
	for i, most := range h.s.Most {
		c := h.sc.Commands[i]
		if most != (script.RowLimit{}) && (h.s.Orders == nil || h.s.Orders[i] == script.NotCounted) {
			return fmt.Errorf("%s:%d: \"rows\" limits what \"orders\" counts: add \"-- qbench: orders\" above the statement", h.sc.Name, c.Line)
		}
	}
	for _, layout := range h.s.Layouts {
		known := workloadLayouts[h.s.Workload]
		if h.s.Workload == "" {
			return fmt.Errorf("%s: layouts are given, but no workload: add \"-- qbench: workload = orders\"", h.sc.Name)
		}
		if !slices.Contains(known, layout) {
			return fmt.Errorf("%s: the workload %q has no layout %q%s", h.sc.Name, h.s.Workload, layout, nearest.DidYouMean(layout, known))
		}
	}
	return nil
}

package runner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"qbench/runner/script"
	"qbench/runner/txn"
	"qbench/runner/wire"
)

// program is a script compiled for the run: immutable and shared by all
// clients of its group.
type program struct {
	Script
	index int // among all scripts of the run
	steps []step
	// countsOrders is whether any statement completes orders.
	countsOrders bool
}

// step is one command of a program with what the query mode makes of it.
type step struct {
	*script.Command
	orders script.OrderCount
	// most is the most orders that one execution does, or mostSlot the variable
	// that says so; -1 is none.
	most     int64
	mostSlot int
	// For SQL commands:
	id      int        // among all statements of the run; indexes conn.prepared
	name    string     // of the prepared statement
	params  []int      // slots of the parameters, in order of $1, $2, …
	inlined []int      // slots that are substituted as text
	sql     string     // with $n in place; "" where something is inlined
	parts   []txn.Part // the statements of the text
	opens   bool       // starts a transaction block
	closes  bool       // ends one
}

// compile prepares the scripts of all groups; ids number the statements over
// the whole run, so that a connection may serve any script.
func compile(cfg *Config) ([][]*program, int, error) {
	var groups [][]*program
	statements, scripts := 0, 0
	for _, g := range cfg.groups() {
		var programs []*program
		for _, s := range g.Scripts {
			if cfg.Mode != Simple {
				if err := s.CheckArguments(); err != nil {
					return nil, 0, err
				}
			}
			p := &program{Script: s, index: scripts}
			scripts++
			for i := range s.Commands {
				st := step{Command: &s.Commands[i], most: txn.Unbounded, mostSlot: -1}
				if s.Orders != nil {
					st.orders = s.Orders[i]
				}
				if s.Most != nil {
					st.limit(s.Most[i], cfg.Symbols)
				}
				p.countsOrders = p.countsOrders || st.orders != script.NotCounted
				if st.Kind == script.SQL {
					st.id = statements
					st.name = fmt.Sprintf("P_%d", statements)
					statements++
					st.compileSQL(s.Inline)
					if cfg.SearchPath != "" && st.beginsWithin() {
						return nil, 0, fmt.Errorf("%s:%d: the statement begins a transaction where its search_path cannot be set, which this connection pooler needs: "+
							"write COMMIT or ROLLBACK without AND CHAIN, and no \\; after them", s.Name, st.Line)
					}
				}
				p.steps = append(p.steps, st)
			}
			programs = append(programs, p)
		}
		groups = append(groups, programs)
	}
	return groups, statements, nil
}

// travelsOn says, in pipelined mode, that nothing depends on the statement's
// result yet: it is not stored, and the statement stands in an open
// transaction block, so that an error in it can only abort that block.
// Statements outside a block commit by themselves and are waited for one by
// one; joined they would share one implicit transaction, which the script did
// not ask for.
func (s *step) travelsOn(block bool) bool { return block && s.Store == script.NoStore }

func (s *step) compileSQL(inline []string) {
	var b strings.Builder
	for _, p := range s.Pieces {
		switch {
		case p.Slot < 0:
			b.WriteString(p.Literal)
		case slices.Contains(inline, p.Name):
			s.inlined = append(s.inlined, p.Slot)
		default:
			s.params = append(s.params, p.Slot)
			b.WriteString("$" + strconv.Itoa(len(s.params)))
		}
	}
	if len(s.inlined) == 0 {
		s.sql = b.String()
	}
	s.parts = txn.Parts(s.textWithNames())
	if len(s.parts) > 0 {
		first, last := s.parts[0], s.parts[len(s.parts)-1]
		s.opens = first.Opens()
		s.closes = last.Ends() && !last.Chain
	}
}

// beginsWithin says whether a transaction begins in the middle of the message,
// or with the end of another one.
func (s *step) beginsWithin() bool {
	for i, p := range s.parts {
		if p.Chain || p.Ends() && i < len(s.parts)-1 {
			return true
		}
	}
	return false
}

// textWithNames is the statement with $name for each variable, which is good
// enough to tell what kind of statement it is and which savepoint it names.
func (s *step) textWithNames() string {
	var b strings.Builder
	for _, p := range s.Pieces {
		if p.Slot < 0 {
			b.WriteString(p.Literal)
		} else {
			b.WriteString("$" + p.Name)
		}
	}
	return b.String()
}

// limit sets the most orders that the statement does.
func (s *step) limit(l script.RowLimit, symbols *script.Symbols) {
	if slot, ok := symbols.Lookup([]byte(l.Variable)); ok && l.Variable != "" {
		s.mostSlot = slot
	} else if l.N > 0 {
		s.most = l.N
	}
}

// mostOrders is that limit in an execution with the given variables.
func (s *step) mostOrders(v *script.Vars) int64 {
	if s.mostSlot < 0 || !v.IsSet(s.mostSlot) {
		return s.most
	}
	if n, err := v.Value(s.mostSlot); err == nil && n.Type() == script.TypeInt {
		return n.Int64()
	}
	return txn.Unbounded
}

// appendSQL appends the text that is parsed in the extended protocol:
// parameters as $n, inlined variables as their text.
func (s *step) appendSQL(dst []byte, v *script.Vars) []byte {
	if len(s.inlined) == 0 {
		return append(dst, s.sql...)
	}
	n := 0
	for i := range s.Pieces {
		switch p := &s.Pieces[i]; {
		case p.Slot < 0:
			dst = append(dst, p.Literal...)
		case slices.Contains(s.inlined, p.Slot):
			dst = v.AppendText(dst, p.Slot)
		default:
			n++
			dst = strconv.AppendInt(append(dst, '$'), int64(n), 10)
		}
	}
	return dst
}

// appendInlineKey appends what distinguishes the texts of a statement with
// inlined variables.
func (s *step) appendInlineKey(dst []byte, v *script.Vars) []byte {
	dst = strconv.AppendInt(dst, int64(s.id), 10)
	for _, slot := range s.inlined {
		dst = v.AppendText(append(dst, 0), slot)
	}
	return dst
}

// appendBind appends a Bind of the unnamed portal with text parameters; a
// variable that was never set travels as NULL, as in pgbench.
func (s *step) appendBind(out []byte, name string, v *script.Vars) []byte {
	return wire.AppendBind(out, name, len(s.params), func(out []byte, i int) ([]byte, bool) {
		slot := s.params[i]
		if !v.IsSet(slot) {
			return out, false
		}
		return v.AppendText(out, slot), true
	})
}

// needsReplies tells the meta commands that reach outside the script.
func needsReplies(k script.Kind) bool {
	switch k {
	case script.Sleep, script.Shell, script.SetShell, script.StartPipeline:
		return true
	}
	return false
}

func storeWord(s script.Store) string {
	if s == script.Aset {
		return "aset"
	}
	return "gset"
}

func countsOrders(programs []*program) bool {
	return slices.ContainsFunc(programs, func(p *program) bool { return p.countsOrders })
}

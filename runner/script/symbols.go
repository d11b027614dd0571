package script

// Symbols gives every variable name of a run a small number, its slot, so
// that clients keep variables in an array instead of a map. One Symbols is
// shared by all scripts of a run. It is filled while scripts are parsed and
// must not be changed once clients run: lookups take no lock.
type Symbols struct {
	slots map[string]int
	names []string
}

// NewSymbols returns an empty table of names.
func NewSymbols() *Symbols {
	return &Symbols{slots: make(map[string]int)}
}

// Intern returns the slot of name, giving it the next free one if the name is
// new. Any name is accepted; use ValidName to apply pgbench's rule.
func (s *Symbols) Intern(name string) int {
	if slot, ok := s.slots[name]; ok {
		return slot
	}
	slot := len(s.names)
	s.slots[name] = slot
	s.names = append(s.names, name)
	return slot
}

// Lookup returns the slot of name, and false if no script mentions it. It
// does not allocate, so it may be called per column of a result.
func (s *Symbols) Lookup(name []byte) (int, bool) {
	slot, ok := s.slots[string(name)]
	return slot, ok
}

// Name returns the name that was given the slot.
func (s *Symbols) Name(slot int) string { return s.names[slot] }

// Len returns the number of names.
func (s *Symbols) Len() int { return len(s.names) }

// ValidName reports whether pgbench lets a variable have this name: ASCII
// letters, digits, underscores and bytes above 127, not starting with a digit.
func ValidName(name string) bool {
	if name == "" || !isNameStart(name[0]) {
		return false
	}
	return nameLen(name) == len(name)
}

// nameLen returns the length of the run of name characters that s starts with.
func nameLen(s string) int {
	n := 0
	for n < len(s) && isNameByte(s[n]) {
		n++
	}
	return n
}

func isNameStart(c byte) bool {
	return c >= 0x80 || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameByte(c byte) bool { return isNameStart(c) || isDigit(c) }

// isSpace is C's isspace in the C locale.
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

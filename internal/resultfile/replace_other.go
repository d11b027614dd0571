//go:build !linux

package resultfile

import "os"

func newAside(path string) (*aside, error) { return newNamed(path) }

// link gives it a name that no other file has.
func (a *aside) link(path string) error { return os.Link(a.temporary, path) }

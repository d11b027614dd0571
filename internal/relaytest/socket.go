package relaytest

import (
	"errors"
	"net"
	"sync"
)

var errCut = errors.New("relay: cut")

// socket is the client's side of a session below TLS, which can be cut after a
// number of bytes.
type socket struct {
	net.Conn
	session *Session
	mu      sync.Mutex
	cuts    [2]*cut
}

type cut struct {
	left   int
	effect Effect
	fired  func()
}

// CutAfter breaks the session when n more bytes have passed in a direction,
// counted as they are on the wire, under TLS too. The effect is Reset or Finish;
// fired is called when it happens.
func (s *Session) CutAfter(dir Direction, n int, e Effect, fired func()) {
	s.raw.mu.Lock()
	defer s.raw.mu.Unlock()
	s.raw.cuts[dir] = &cut{n, e, fired}
}

// take returns how many of n bytes may still pass, and the cut if that is all.
func (c *socket) take(dir Direction, n int) (int, *cut) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.cuts[dir]
	if k == nil {
		return n, nil
	}
	if n < k.left {
		k.left -= n
		return n, nil
	}
	n, k.left = k.left, 0
	return n, k
}

func (c *socket) fire(k *cut) error {
	c.session.Break(k.effect)
	k.fired()
	return errCut
}

func (c *socket) Read(b []byte) (int, error) {
	// What came before has been passed on by now; the client may wait for an
	// answer and send nothing more.
	if k := c.due(ToServer); k != nil {
		return 0, c.fire(k)
	}
	n, err := c.Conn.Read(b)
	n, k := c.take(ToServer, n)
	if k != nil && n == 0 {
		return 0, c.fire(k) // armed while the read waited
	}
	return n, err
}

// due is the cut that nothing may pass before.
func (c *socket) due(dir Direction) *cut {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.cuts[dir]; k != nil && k.left == 0 {
		return k
	}
	return nil
}

func (c *socket) Write(b []byte) (int, error) {
	n, k := c.take(ToClient, len(b))
	done, err := c.Conn.Write(b[:n])
	if err == nil && k != nil {
		err = c.fire(k)
	}
	return done, err
}

// Package relaytest relays PostgreSQL connections and breaks them on purpose: at
// a byte, between two messages, in one direction, or by passing nothing.
//
// It is support for tests. Start reading at [Listen]. A [Tap] sees each message
// and says where a connection breaks; [Session.CutAfter] breaks one at a byte, in
// the middle of a TLS record too; [Relay.Stall] holds everything.
package relaytest

import (
	"crypto/tls"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
)

// Relay passes connections on to a server.
type Relay struct {
	listener net.Listener
	dial     func() (net.Conn, error)
	tls      *tls.Config // nil refuses TLS, as a server without ssl does
	tap      atomic.Pointer[Tap]
	gate     atomic.Pointer[chan struct{}] // not nil while nothing passes
	held     atomic.Int64
	errors   sync.Map // SQLSTATE → *atomic.Int64

	running  sync.WaitGroup
	mu       sync.Mutex
	sessions []*Session
	accepted int
	onNew    func(*Session)
	closed   bool
}

// Tap decides what becomes of a message. Several sessions call it at the same
// time. The message's bytes are valid during the call only.
type Tap func(m *Message) Verdict

// Verdict is what happens to a message: with an effect other than Pass, the
// first Forward bytes of it pass, and then the effect begins.
type Verdict struct {
	Forward int
	Effect  Effect
}

// Effect is how a connection breaks.
type Effect uint8

// The effects.
const (
	Pass            Effect = iota
	Reset                  // both sides are closed, the client's with RST where it is TCP
	Finish                 // both sides are closed
	HalfCloseClient        // the client reads the end, its own bytes still pass
	HalfCloseServer        // the server reads the end, its own bytes still pass
	BlackHole              // nothing passes any more, not even the end of either side
)

func (e Effect) String() string {
	return [...]string{"pass", "RST", "FIN", "half-close to the client", "half-close to the server", "black hole"}[e]
}

// Listen relays connections from a listening address to the server that dial
// connects to. With a TLS configuration the relay speaks TLS with clients that
// ask for it; with the server it always speaks plain, so that it sees messages.
func Listen(network, address string, dial func() (net.Conn, error), config *tls.Config) (*Relay, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, fmt.Errorf("relay: %w", err)
	}
	r := &Relay{listener: l, dial: dial, tls: config}
	r.running.Add(1)
	go r.accept()
	return r, nil
}

// Addr is where the relay listens.
func (r *Relay) Addr() net.Addr { return r.listener.Addr() }

func (r *Relay) accept() {
	defer r.running.Done()
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.mu.Lock()
		if r.closed {
			r.mu.Unlock()
			_ = c.Close()
			return
		}
		r.accepted++
		s := newSession(r, c, r.accepted)
		r.sessions = append(r.sessions, s)
		onNew := r.onNew
		r.running.Add(1)
		r.mu.Unlock()
		if onNew != nil {
			onNew(s)
		}
		go func() {
			defer r.running.Done()
			s.serve()
		}()
	}
}

// SetTap installs the tap; nil removes it.
func (r *Relay) SetTap(t Tap) {
	if t == nil {
		r.tap.Store(nil)
		return
	}
	r.tap.Store(&t)
}

// OnSession has each new session shown to f before it passes a byte; nil ends
// that.
func (r *Relay) OnSession(f func(*Session)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onNew = f
}

// Accepted is the number of connections so far; sessions are numbered by it.
func (r *Relay) Accepted() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.accepted
}

// Sessions lists the connections that no client has closed yet.
func (r *Relay) Sessions() []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*Session
	for _, s := range r.sessions {
		if !s.clientGone.Load() {
			list = append(list, s)
		}
	}
	return list
}

func (r *Relay) remove(s *Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions = slices.DeleteFunc(r.sessions, func(o *Session) bool { return o == s })
}

// Stall holds everything in both directions, connections being made too, until
// release is called.
func (r *Relay) Stall() (release func()) {
	gate := make(chan struct{})
	if !r.gate.CompareAndSwap(nil, &gate) {
		return func() {}
	}
	return sync.OnceFunc(func() {
		r.gate.Store(nil)
		close(gate)
	})
}

// wait returns when no stall is on.
func (r *Relay) wait() {
	if gate := r.gate.Load(); gate != nil {
		r.held.Add(1)
		<-*gate
	}
}

// Held is how often a stall held something.
func (r *Relay) Held() int64 { return r.held.Load() }

// Errors is how many ErrorResponses with the SQLSTATE passed to clients.
func (r *Relay) Errors(code string) int64 {
	if n, ok := r.errors.Load(code); ok {
		return n.(*atomic.Int64).Load()
	}
	return 0
}

func (r *Relay) noteError(code string) {
	n, _ := r.errors.LoadOrStore(code, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

// Close ends the relay and all its connections, and returns when they are gone.
// A stall must have been released. A second call does nothing more.
func (r *Relay) Close() error {
	r.mu.Lock()
	again := r.closed
	r.closed = true
	sessions := slices.Clone(r.sessions)
	r.mu.Unlock()
	var err error
	if !again {
		err = r.listener.Close()
	}
	for _, s := range sessions {
		s.close()
	}
	r.running.Wait()
	return err
}

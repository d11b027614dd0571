package relaytest

import (
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// Session is one relayed connection.
type Session struct {
	// Number counts the relay's connections from 1.
	Number int

	relay  *Relay
	raw    *socket
	mu     sync.Mutex
	client net.Conn // raw, or TLS on it
	server net.Conn
	shut   bool

	track      tracker
	pid        atomic.Int32
	broken     atomic.Bool
	hole       atomic.Bool
	clientGone atomic.Bool
	// A direction whose bytes are dropped.
	drop [2]atomic.Bool
}

func newSession(r *Relay, c net.Conn, number int) *Session {
	s := &Session{Number: number, relay: r}
	s.raw = &socket{Conn: c, session: s}
	s.client = s.raw
	return s
}

// PID is the process ID of the session's backend; 0 before the server has told
// it and for a connection that only carries a cancel request.
func (s *Session) PID() int { return int(s.pid.Load()) }

// Broken tells whether an effect broke the session.
func (s *Session) Broken() bool { return s.broken.Load() }

// The requests that stand in place of a startup message.
const (
	cancelRequest = 80877102
	sslRequest    = 80877103
	gssRequest    = 80877104
)

var errProtocol = errors.New("relay: not a startup message")

func (s *Session) serve() {
	defer s.relay.remove(s)
	defer s.clientGone.Store(true)
	defer s.close()
	s.relay.wait()
	first, err := s.start()
	if err != nil {
		return
	}
	s.relay.wait()
	server, err := s.relay.dial()
	if err != nil {
		return
	}
	s.mu.Lock()
	s.server = server
	shut := s.shut
	s.mu.Unlock()
	if shut {
		_ = server.Close()
		return
	}
	if _, err := server.Write(first); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.pump(ToClient, server, s.client)
		if !s.hole.Load() {
			_ = s.client.Close()
		}
	}()
	s.pump(ToServer, s.client, server)
	s.clientGone.Store(true)
	if !s.hole.Load() { // or the server is not told either
		closeWrite(server)
	}
	<-done
}

// start reads the client's startup message and answers what may precede it.
func (s *Session) start() ([]byte, error) {
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(s.client, head); err != nil {
			return nil, err
		}
		length, code := binary.BigEndian.Uint32(head), binary.BigEndian.Uint32(head[4:])
		if length < 8 || length > 10_000 {
			return nil, errProtocol
		}
		rest := make([]byte, length-8)
		if _, err := io.ReadFull(s.client, rest); err != nil {
			return nil, err
		}
		switch {
		case code == sslRequest && s.relay.tls != nil:
			if _, err := s.raw.Write([]byte{'S'}); err != nil {
				return nil, err
			}
			s.mu.Lock()
			s.client = tls.Server(s.raw, s.relay.tls)
			s.mu.Unlock()
		case code == sslRequest || code == gssRequest:
			if _, err := s.raw.Write([]byte{'N'}); err != nil {
				return nil, err
			}
		default:
			return append(head, rest...), nil
		}
	}
}

// pump passes messages in one direction until its source ends.
func (s *Session) pump(dir Direction, from io.Reader, to io.Writer) {
	var pending []byte // not yet a whole message
	buf := make([]byte, 32<<10)
	send := func(b []byte) bool {
		if len(b) == 0 {
			return true
		}
		s.relay.wait()
		if s.drop[dir].Load() {
			return true
		}
		_, err := to.Write(b)
		if err != nil && dir == ToClient {
			// The server is not told: it learns of the end when it reads.
			s.drop[dir].Store(true)
			return true
		}
		return err == nil
	}
	for {
		n, err := from.Read(buf)
		pending = append(pending, buf[:n]...)
		whole := 0
		for {
			size := messageSize(pending[whole:])
			if size == 0 {
				break
			}
			bytes := pending[whole : whole+size]
			m := s.track.see(s, dir, bytes)
			if v := s.ask(m); v.Effect != Pass {
				send(pending[:whole+v.Forward])
				s.Break(v.Effect)
				// What did not pass is gone, whatever comes next.
				pending, whole = pending[whole+size:], 0
				continue
			}
			whole += size
		}
		if err != nil {
			whole = len(pending) // a torn message passes as it came
		}
		if !send(pending[:whole]) || err != nil {
			return
		}
		pending = append(pending[:0], pending[whole:]...)
	}
}

func (s *Session) ask(m *Message) Verdict {
	tap := s.relay.tap.Load()
	if tap == nil || s.broken.Load() {
		return Verdict{}
	}
	return (*tap)(m)
}

// Break breaks the session now.
func (s *Session) Break(e Effect) {
	s.broken.Store(true)
	s.mu.Lock()
	server := s.server
	s.mu.Unlock()
	switch e {
	case Reset:
		if c, ok := s.raw.Conn.(*net.TCPConn); ok {
			_ = c.SetLinger(0)
		}
		s.close()
	case Finish:
		s.close()
	case HalfCloseClient:
		s.drop[ToClient].Store(true)
		closeWrite(s.raw.Conn)
	case HalfCloseServer:
		s.drop[ToServer].Store(true)
		if server != nil {
			closeWrite(server)
		}
	case BlackHole:
		s.hole.Store(true)
		s.drop[ToServer].Store(true)
		s.drop[ToClient].Store(true)
	}
}

// close closes both sides as they are, without TLS's farewell.
func (s *Session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut = true
	_ = s.raw.Close()
	if s.server != nil {
		_ = s.server.Close()
	}
}

func closeWrite(c net.Conn) {
	if c, ok := c.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
}

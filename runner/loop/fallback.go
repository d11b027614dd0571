package loop

import (
	"crypto/tls"
	"io"
	"net"
	"sync"
	"time"
)

// fallback serves any net.Conn: one goroutine per connection blocks in Read and
// passes on what it got, another one writes. It is the only way on systems
// without epoll.
type fallback struct {
	signal chan struct{} // capacity 1
	notify func()        // ends a wait; sends on signal by itself
	timer  *time.Timer
	all    sync.WaitGroup // of goroutines

	mu    sync.Mutex
	queue []chunk
	spare []chunk
}

// chunk is what one Read returned, or a failed Write.
type chunk struct {
	s    *netSocket
	data []byte
	err  error
}

// netReadBuffer holds any usual turn's replies at once.
const netReadBuffer = 8 << 10

// farewell is how long the last bytes of a closed socket may take to leave.
const farewell = time.Second

func newFallback() *fallback {
	f := &fallback{signal: make(chan struct{}, 1), timer: time.NewTimer(time.Hour)}
	f.notify = f.Wake
	return f
}

// netSocket is a connection in the care of a fallback.
type netSocket struct {
	f       *fallback
	nc      net.Conn
	receive Receive
	next    chan struct{} // the loop is done with the last chunk
	closed  chan struct{}
	failed  bool // an error was delivered

	writable chan struct{} // capacity 1: there is something to write
	mu       sync.Mutex
	out      []byte
}

// attach takes nc over.
func (f *fallback) attach(nc net.Conn, receive Receive) *netSocket {
	s := &netSocket{f: f, nc: nc, receive: receive, next: make(chan struct{}, 1), closed: make(chan struct{}), writable: make(chan struct{}, 1)}
	var from io.Reader = nc
	if c := Below(nc); c != nil && c.source != nil {
		from = c.source
	}
	f.all.Add(2)
	go s.readAll(from)
	go s.writeAll()
	return s
}

func (f *fallback) put(c chunk) {
	f.mu.Lock()
	f.queue = append(f.queue, c)
	f.mu.Unlock()
	f.notify()
}

func (s *netSocket) readAll(from io.Reader) {
	defer s.f.all.Done()
	buf := make([]byte, netReadBuffer)
	for {
		n, err := from.Read(buf)
		s.f.put(chunk{s, buf[:n], err})
		if err != nil {
			return
		}
		select {
		case <-s.next:
		case <-s.closed:
			return
		}
	}
}

// writeAll sends what Write took. It closes the connection, since what was
// written just before Close has to leave first.
func (s *netSocket) writeAll() {
	defer s.f.all.Done()
	var buf []byte
	for {
		closed := false
		select {
		case <-s.writable:
		case <-s.closed:
			closed = true
		}
		s.mu.Lock()
		buf, s.out = s.out, buf[:0]
		s.mu.Unlock()
		var err error
		if len(buf) > 0 {
			_, err = s.nc.Write(buf)
		}
		switch {
		case err != nil:
			s.f.put(chunk{s: s, err: err})
			<-s.closed
			s.cutOff()
			return
		case closed:
			s.nc.Close()
			return
		}
	}
}

// cutOff closes a connection that takes no bytes; TLS would send some.
func (s *netSocket) cutOff() {
	if t, ok := s.nc.(*tls.Conn); ok {
		t.NetConn().Close()
		return
	}
	s.nc.Close()
}

// Write implements Socket.
func (s *netSocket) Write(p []byte) error {
	select {
	case <-s.closed:
		return net.ErrClosed
	default:
	}
	s.mu.Lock()
	s.out = append(s.out, p...)
	s.mu.Unlock()
	select {
	case s.writable <- struct{}{}:
	default:
	}
	return nil
}

// Close implements Socket. The last bytes have a second to leave.
func (s *netSocket) Close() {
	select {
	case <-s.closed:
	default:
		_ = s.nc.SetWriteDeadline(time.Now().Add(farewell))
		close(s.closed)
	}
}

// drain hands over what the goroutines queued; it reports whether there was any.
func (f *fallback) drain() bool {
	f.mu.Lock()
	queue := f.queue
	f.queue, f.spare = f.spare[:0], nil
	f.mu.Unlock()
	for _, ch := range queue {
		select {
		case <-ch.s.closed: // no one wants the rest
			continue
		default:
		}
		if ch.s.failed {
			continue
		}
		ch.s.failed = ch.err != nil
		ch.s.receive(ch.data, ch.err)
		if ch.err == nil {
			select {
			case ch.s.next <- struct{}{}:
			case <-ch.s.closed:
			}
		}
	}
	clear(queue)
	f.mu.Lock()
	f.spare = queue[:0]
	f.mu.Unlock()
	return len(queue) > 0
}

// Wait implements Loop.Wait where there is nothing better.
func (f *fallback) Wait(timeout time.Duration) error {
	if f.drain() || timeout == 0 {
		return nil
	}
	if timeout < 0 {
		<-f.signal
	} else {
		f.timer.Reset(timeout)
		select {
		case <-f.signal:
			f.timer.Stop()
		case <-f.timer.C:
		}
	}
	f.drain()
	return nil
}

// Wake makes the current Wait return, or the next one if none is under way.
// It may be called by any goroutine.
func (f *fallback) Wake() {
	select {
	case f.signal <- struct{}{}:
	default:
	}
}

// Close waits for the goroutines of the sockets, which must be closed by now.
func (f *fallback) Close() { f.all.Wait() }

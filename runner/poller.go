package runner

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// poller waits for all connections of one thread at once.
type poller interface {
	// attach makes a connection's bytes arrive through wait; it takes nc over.
	attach(c *conn, nc net.Conn) error
	// wait blocks until something arrived, wake was called or the timeout
	// passed (negative: none), and hands what arrived to deliver, which must
	// not keep the bytes. An error is the end of that connection.
	wait(timeout time.Duration, deliver func(c *conn, data []byte, err error))
	// wake makes wait return; safe from any goroutine.
	wake()
	close()
}

// netPoller serves any net.Conn: a goroutine per connection blocks in Read and
// passes what it got to the thread. It is the only poller on systems without
// epoll, and carries TLS connections everywhere, since those cannot be read
// below the library.
type netPoller struct {
	signal chan struct{} // capacity 1
	notify func()        // how to end a wait; sends on signal by itself
	timer  *time.Timer

	mu    sync.Mutex
	queue []chunk
	spare []chunk
}

// chunk is what one Read returned.
type chunk struct {
	c    *conn
	s    *netSocket
	data []byte
	err  error
}

// netSocket is a connection in the care of a netPoller.
type netSocket struct {
	nc     net.Conn
	next   chan struct{} // the thread is done with the last chunk
	closed chan struct{}
	once   sync.Once
}

// netReadBuffer holds any usual turn's replies at once.
const netReadBuffer = 8 << 10

func newNetPoller() *netPoller {
	p := &netPoller{signal: make(chan struct{}, 1), timer: time.NewTimer(time.Hour)}
	p.notify = p.wake
	return p
}

func (p *netPoller) attach(c *conn, nc net.Conn) error {
	s := &netSocket{nc: nc, next: make(chan struct{}, 1), closed: make(chan struct{})}
	c.sock = s
	go s.read(p, c)
	return nil
}

func (s *netSocket) read(p *netPoller, c *conn) {
	buf := make([]byte, netReadBuffer)
	for {
		n, err := s.nc.Read(buf)
		p.mu.Lock()
		p.queue = append(p.queue, chunk{c, s, buf[:n], err})
		p.mu.Unlock()
		p.notify()
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

func (s *netSocket) write(p []byte) error {
	_, err := s.nc.Write(p)
	return err
}

func (s *netSocket) close() {
	s.once.Do(func() {
		close(s.closed)
		s.nc.Close()
	})
}

// drain hands over what the readers queued; it reports whether there was any.
func (p *netPoller) drain(deliver func(*conn, []byte, error)) bool {
	p.mu.Lock()
	queue := p.queue
	p.queue, p.spare = p.spare[:0], nil
	p.mu.Unlock()
	for _, ch := range queue {
		select {
		case <-ch.s.closed: // its client is gone; nobody wants the rest
			continue
		default:
		}
		deliver(ch.c, ch.data, ch.err)
		if ch.err == nil {
			select {
			case ch.s.next <- struct{}{}:
			case <-ch.s.closed:
			}
		}
	}
	p.mu.Lock()
	p.spare = queue[:0]
	p.mu.Unlock()
	return len(queue) > 0
}

func (p *netPoller) wait(timeout time.Duration, deliver func(*conn, []byte, error)) {
	if p.drain(deliver) || timeout == 0 {
		return
	}
	if timeout < 0 {
		<-p.signal
	} else {
		p.timer.Reset(timeout)
		select {
		case <-p.signal:
			p.timer.Stop()
		case <-p.timer.C:
		}
	}
	p.drain(deliver)
}

func (p *netPoller) wake() {
	select {
	case p.signal <- struct{}{}:
	default:
	}
}

func (p *netPoller) close() {}

// inbox passes functions to a thread from other goroutines.
type inbox struct {
	mu   sync.Mutex
	fns  []func()
	some atomic.Bool // spares the lock when there is nothing
}

func (b *inbox) put(fn func()) {
	b.mu.Lock()
	b.fns = append(b.fns, fn)
	b.some.Store(true)
	b.mu.Unlock()
}

func (b *inbox) run() {
	if !b.some.Load() {
		return
	}
	b.mu.Lock()
	fns := b.fns
	b.fns = nil
	b.some.Store(false)
	b.mu.Unlock()
	for _, fn := range fns {
		fn()
	}
}

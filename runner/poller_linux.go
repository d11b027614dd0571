package runner

import (
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// epoller reads all plain sockets of a thread through one epoll set. Reads
// and writes never block, so they bypass Go's scheduler (RawSyscall); only
// the wait itself goes through it. The alternative, a goroutine per
// connection on Go's own poller, cost 1.4 times the processor time.
type epoller struct {
	*netPoller
	epfd, eventfd int
	conns         []*conn // by file descriptor
	events        [256]unix.EpollEvent
	buf           []byte
	woken         atomic.Bool // a wake-up is on its way: no need for another
	closing       sync.Mutex  // no wake-up may write to a closed descriptor
	closed        bool
	coarse        bool // the kernel has no epoll_pwait2 (before 5.11)
}

// readable is what a connection is watched for. EPOLLRDHUP tells the end of a
// connection whose last bytes were read before it came.
const readable = unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET

// hangup are the events after which nothing more comes.
const hangup = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR

// epollReadBuffer takes the replies of one turn of a connection.
const epollReadBuffer = 64 << 10

func newPoller() (poller, error) {
	epfd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create epoll set: %w", err)
	}
	efd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		unix.Close(epfd)
		return nil, fmt.Errorf("create eventfd: %w", err)
	}
	p := &epoller{netPoller: newNetPoller(), epfd: epfd, eventfd: efd, buf: make([]byte, epollReadBuffer)}
	p.netPoller.notify = p.wake
	if err := unix.EpollCtl(epfd, unix.EPOLL_CTL_ADD, efd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(efd)}); err != nil {
		p.close()
		return nil, fmt.Errorf("watch eventfd: %w", err)
	}
	return p, nil
}

func (p *epoller) attach(c *conn, nc net.Conn) error {
	sc, ok := nc.(syscall.Conn)
	if !ok { // TLS
		return p.netPoller.attach(c, nc)
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return fmt.Errorf("take over socket: %w", err)
	}
	// A duplicate outlives nc, whose closing takes the socket out of Go's own
	// poller: left there, each reply would wake that one up as well.
	fd := -1
	var dupErr error
	if err := raw.Control(func(f uintptr) { fd, dupErr = unix.FcntlInt(f, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return fmt.Errorf("take over socket: %w", err)
	}
	if dupErr != nil {
		return fmt.Errorf("take over socket: %w", dupErr)
	}
	nc.Close()
	c.sock = &fdSocket{p: p, fd: fd}
	if err := p.watchSocket(c); err != nil {
		unix.Close(fd)
		c.sock = nil
		return err
	}
	return nil
}

// watchSocket puts the socket of a connection into the set.
func (p *epoller) watchSocket(c *conn) error {
	s := c.sock.(*fdSocket)
	for len(p.conns) <= s.fd {
		p.conns = append(p.conns, nil)
	}
	s.p = p
	p.conns[s.fd] = c
	if err := unix.EpollCtl(p.epfd, unix.EPOLL_CTL_ADD, s.fd, &unix.EpollEvent{Events: readable, Fd: int32(s.fd)}); err != nil {
		p.conns[s.fd] = nil
		return fmt.Errorf("watch socket: %w", err)
	}
	return nil
}

func (p *epoller) wait(timeout time.Duration, deliver func(*conn, []byte, error)) {
	if p.netPoller.drain(deliver) {
		timeout = 0
	}
	n := p.epollWait(timeout)
	for i := range n {
		ev := &p.events[i]
		if int(ev.Fd) == p.eventfd {
			// Emptied before woken is cleared: the other way round, the
			// wake-up of one who comes in between would be swallowed and leave
			// woken set for ever. What he posted is seen after this wait.
			var count [8]byte
			_, _ = unix.Read(p.eventfd, count[:])
			p.woken.Store(false)
			p.netPoller.drain(deliver)
			continue
		}
		c := p.conns[ev.Fd]
		if c == nil {
			continue // closed by an event of the same batch
		}
		if ev.Events&unix.EPOLLOUT != 0 {
			if err := c.sock.(*fdSocket).resume(); err != nil {
				deliver(c, nil, err)
				continue
			}
		}
		if ev.Events&^unix.EPOLLOUT != 0 {
			p.read(c, int(ev.Fd), ev.Events&hangup != 0, deliver)
		}
	}
}

// read empties a socket. Events are edge-triggered, which spares the kernel a
// second look at each socket; a read that fills less than the buffer has
// emptied a stream socket (epoll(7)), so that no further one is needed. Unless
// the event told of the end as well: no other one will, so it is read up to.
func (p *epoller) read(c *conn, fd int, ended bool, deliver func(*conn, []byte, error)) {
	for p.conns[fd] == c {
		n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&p.buf[0])), uintptr(len(p.buf)))
		switch {
		case errno == unix.EINTR:
			continue
		case errno == unix.EAGAIN:
		case errno != 0:
			deliver(c, nil, errno)
		case n == 0:
			deliver(c, nil, io.EOF)
		default:
			deliver(c, p.buf[:n], nil)
			if ended || int(n) == len(p.buf) {
				continue
			}
		}
		return
	}
}

func (p *epoller) epollWait(timeout time.Duration) int {
	events := uintptr(unsafe.Pointer(&p.events[0]))
	if !p.coarse {
		var ts *unix.Timespec
		if timeout >= 0 {
			t := unix.NsecToTimespec(int64(timeout))
			ts = &t
		}
		n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(p.epfd), events, uintptr(len(p.events)), uintptr(unsafe.Pointer(ts)), 0, 0)
		if errno == 0 {
			return int(n)
		}
		if errno != unix.ENOSYS {
			return 0 // EINTR: the caller looks at the clock and comes again
		}
		p.coarse = true
	}
	ms := -1
	if timeout >= 0 {
		ms = int((timeout + time.Millisecond - 1) / time.Millisecond)
	}
	n, _ := unix.EpollWait(p.epfd, p.events[:], ms)
	return max(n, 0)
}

func (p *epoller) wake() {
	if p.woken.Swap(true) {
		return
	}
	p.closing.Lock()
	defer p.closing.Unlock()
	if p.closed {
		return
	}
	one := [8]byte{1} // little-endian or not, it is not zero
	_, _ = unix.Write(p.eventfd, one[:])
}

func (p *epoller) close() {
	p.closing.Lock()
	defer p.closing.Unlock()
	p.closed = true
	unix.Close(p.epfd)
	unix.Close(p.eventfd)
}

// fdSocket is a plain socket in an epoll set.
type fdSocket struct {
	p       *epoller
	fd      int
	pending []byte // what the kernel's buffer had no room for
}

func (s *fdSocket) write(p []byte) error {
	if len(s.pending) > 0 {
		s.pending = append(s.pending, p...)
		return nil
	}
	n, err := s.send(p)
	if err != nil {
		return err
	}
	if n < len(p) {
		s.pending = append(s.pending, p[n:]...)
		return s.watch(readable | unix.EPOLLOUT)
	}
	return nil
}

func (s *fdSocket) send(p []byte) (int, error) {
	sent := 0
	for sent < len(p) {
		// MSG_NOSIGNAL: a vanished server is an error here, not a SIGPIPE.
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(s.fd), uintptr(unsafe.Pointer(&p[sent])), uintptr(len(p)-sent), unix.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case 0:
			sent += int(n)
		case unix.EINTR:
		case unix.EAGAIN:
			return sent, nil
		default:
			return sent, errno
		}
	}
	return sent, nil
}

// resume sends on when the kernel has room again.
func (s *fdSocket) resume() error {
	n, err := s.send(s.pending)
	if err != nil {
		return err
	}
	s.pending = s.pending[:copy(s.pending, s.pending[n:])]
	if len(s.pending) == 0 {
		return s.watch(readable)
	}
	return nil
}

func (s *fdSocket) watch(events uint32) error {
	return unix.EpollCtl(s.p.epfd, unix.EPOLL_CTL_MOD, s.fd, &unix.EpollEvent{Events: events, Fd: int32(s.fd)})
}

func (s *fdSocket) close() {
	if s.fd < 0 {
		return
	}
	s.p.conns[s.fd] = nil
	unix.Close(s.fd)
	s.fd = -1
}

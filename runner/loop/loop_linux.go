package loop

import (
	"crypto/tls"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Loop waits for many sockets at once. One goroutine calls Wait; Wake may be
// called by any.
//
// Reads and writes never block, so they bypass Go's scheduler (RawSyscall);
// only the wait itself goes through it. The alternative, a goroutine per
// connection on Go's own poller, cost 1.4 times the processor time.
type Loop struct {
	*fallback
	epfd, eventfd int
	sockets       []*fdSocket // by file descriptor
	more          []*fdSocket // those that may have more than one turn takes
	spare         []*fdSocket
	events        [256]unix.EpollEvent
	buf           []byte      // what goes to Receive
	raw           []byte      // encrypted
	woken         atomic.Bool // a wake-up is on its way: no need for another
	closing       sync.Mutex  // no wake-up may write to a closed descriptor
	closed        bool
	coarse        bool // epoll_pwait2 cannot be used
	polite        bool // every wait gives the processor up
	timeout       unix.Timespec
	// pwait2 is the system call, but for tests.
	pwait2 pwait2
}

const (
	// readable is what a socket is watched for. EPOLLRDHUP tells the end of a
	// connection whose last bytes were read before it came.
	readable = unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET
	// hangup are the events after which nothing more comes.
	hangup = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR

	// readBuffer takes the replies of one turn of a connection.
	readBuffer = 64 << 10
	// briefly is how long a wait keeps its processor from Go's scheduler. Its
	// monitor takes the processor away from a thread that is in a system call
	// for more than some 20 us, where no other is idle, and the loop has to find
	// one again when something comes: a sixth of the client's processor time
	// with as many loops as there are processors. Whoever waits for a processor
	// gets one after 10 ms at the latest, when the loop is preempted.
	briefly = 500 * time.Microsecond
	// readsPerTurn bounds what a socket may be read for before the others get
	// their turns.
	readsPerTurn = 4
)

// New makes a loop without sockets.
func New() (*Loop, error) {
	epfd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create epoll set: %w", err)
	}
	efd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		unix.Close(epfd)
		return nil, fmt.Errorf("create eventfd: %w", err)
	}
	l := &Loop{fallback: newFallback(), epfd: epfd, eventfd: efd, buf: make([]byte, readBuffer), pwait2: epollPwait2}
	l.fallback.notify = l.Wake
	if err := unix.EpollCtl(epfd, unix.EPOLL_CTL_ADD, efd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(efd)}); err != nil {
		l.Close()
		return nil, fmt.Errorf("watch eventfd: %w", err)
	}
	return l, nil
}

// Attach takes nc over: what comes from it goes to receive.
func (l *Loop) Attach(nc net.Conn, receive Receive) (Socket, error) {
	under, c := nc, Below(nc)
	if c != nil {
		under = c.under
	}
	// Other types than these may do something of their own with the bytes.
	var sc syscall.Conn
	switch u := under.(type) {
	case *net.TCPConn:
		sc = u
	case *net.UnixConn:
		sc = u
	default:
		l.polite = true // its goroutines need the processor
		return l.attach(nc, receive), nil
	}
	s := &fdSocket{l: l, receive: receive, fd: -1, ready: true}
	if t, ok := nc.(*tls.Conn); ok {
		s.secure = t
		if l.raw == nil {
			l.raw = make([]byte, readBuffer)
		}
	}
	if c != nil {
		s.first = c.source
		if s.first == nil {
			s.first = nc // TLS may hold bytes of its own
		}
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("take over socket: %w", err)
	}
	// A duplicate outlives nc, whose closing takes the socket out of Go's own
	// poller: left there, each reply would wake that one up as well.
	var dupErr error
	if err := raw.Control(func(f uintptr) { s.fd, dupErr = unix.FcntlInt(f, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return nil, fmt.Errorf("take over socket: %w", err)
	}
	if dupErr != nil {
		return nil, fmt.Errorf("take over socket: %w", dupErr)
	}
	for len(l.sockets) <= s.fd {
		l.sockets = append(l.sockets, nil)
	}
	if err := unix.EpollCtl(l.epfd, unix.EPOLL_CTL_ADD, s.fd, &unix.EpollEvent{Events: readable, Fd: int32(s.fd)}); err != nil {
		unix.Close(s.fd)
		return nil, fmt.Errorf("watch socket: %w", err)
	}
	under.Close()
	l.sockets[s.fd] = s
	if c != nil {
		c.sock = s
	}
	l.goOn(s)
	return s, nil
}

// BePolite makes every wait give the processor to other goroutines at once, for
// those that have work for them all the time, such as connecting.
func (l *Loop) BePolite() { l.polite = true }

// goOn gives s a turn in the next round.
func (l *Loop) goOn(s *fdSocket) {
	if !s.queued {
		s.queued = true
		l.more = append(l.more, s)
	}
}

// Wait blocks until something came, Wake was called or the timeout passed
// (negative: none), and hands what came to the sockets' Receive. An error means
// that the loop is of no more use.
func (l *Loop) Wait(timeout time.Duration) error {
	if l.fallback.drain() || len(l.more) > 0 {
		timeout = 0
	}
	n, err := l.wait(timeout)
	if err != nil {
		return fmt.Errorf("wait for sockets: %w", err)
	}
	// Taken before the events are served, which put sockets on the next round's.
	more := l.more
	l.more, l.spare = l.spare[:0], nil
	for i := range n {
		ev := &l.events[i]
		if int(ev.Fd) == l.eventfd {
			// Emptied before woken is cleared: the other way round, the
			// wake-up of one who comes in between would be swallowed and leave
			// woken set for good. The wake-up's work is seen after this wait.
			var count [8]byte
			_, _ = unix.Read(l.eventfd, count[:])
			l.woken.Store(false)
			l.fallback.drain()
			continue
		}
		s := l.sockets[ev.Fd]
		if s == nil {
			continue // closed by an event of the same batch
		}
		if ev.Events&unix.EPOLLOUT != 0 {
			s.resume()
		}
		if ev.Events&^unix.EPOLLOUT != 0 {
			s.ready = true
			s.ended = s.ended || ev.Events&hangup != 0
			if !s.queued {
				s.turn()
			}
		}
	}
	for _, s := range more {
		s.queued = false
		s.turn()
	}
	clear(more)
	l.spare = more[:0]
	return nil
}

// wait asks the kernel for events.
func (l *Loop) wait(timeout time.Duration) (int, error) {
	if !l.coarse && !l.polite {
		if 0 <= timeout && timeout <= briefly {
			return l.ask(true, timeout)
		}
		if n, err := l.ask(true, briefly); n > 0 || err != nil {
			return n, err
		}
		if timeout > 0 {
			timeout -= briefly
		}
	}
	return l.ask(false, timeout)
}

// ask waits for events once, if briefly so that Go's scheduler doesn't notice.
func (l *Loop) ask(brief bool, timeout time.Duration) (int, error) {
	if !l.coarse {
		var ts *unix.Timespec
		if timeout >= 0 {
			l.timeout = unix.NsecToTimespec(int64(timeout))
			ts = &l.timeout
		}
		n, errno := l.pwait2(brief, l.epfd, l.events[:], ts)
		switch errno {
		case 0:
			return n, nil
		case unix.EINTR: // the caller looks at the clock and comes again
			return 0, nil
		case unix.ENOSYS, unix.EPERM, unix.EINVAL:
			// Kernels before 5.11, and the system call filters of containers
			// that don't know it.
			l.coarse = true
		default:
			return 0, errno
		}
	}
	ms := -1
	if timeout >= 0 {
		ms = int((timeout + time.Millisecond - 1) / time.Millisecond)
	}
	n, err := unix.EpollWait(l.epfd, l.events[:], ms)
	if err == unix.EINTR {
		return 0, nil
	}
	return max(n, 0), err
}

// pwait2 is the type of epollPwait2.
type pwait2 func(brief bool, epfd int, events []unix.EpollEvent, timeout *unix.Timespec) (int, syscall.Errno)

func epollPwait2(brief bool, epfd int, events []unix.EpollEvent, timeout *unix.Timespec) (int, syscall.Errno) {
	var n uintptr
	var errno syscall.Errno
	if brief {
		n, _, errno = unix.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(epfd), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), uintptr(unsafe.Pointer(timeout)), 0, 0)
	} else {
		n, _, errno = unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(epfd), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), uintptr(unsafe.Pointer(timeout)), 0, 0)
	}
	return int(n), errno
}

// Wake makes the current Wait return, or the next one if none is under way. It
// may be called by any goroutine.
func (l *Loop) Wake() {
	if l.woken.Swap(true) {
		return
	}
	l.closing.Lock()
	defer l.closing.Unlock()
	if l.closed {
		return
	}
	one := [8]byte{1} // little-endian or not, it is not zero
	_, _ = unix.Write(l.eventfd, one[:])
}

// Close frees what the loop holds. Its sockets must be closed by now.
func (l *Loop) Close() {
	l.fallback.Close()
	l.closing.Lock()
	defer l.closing.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	unix.Close(l.epfd)
	unix.Close(l.eventfd)
}

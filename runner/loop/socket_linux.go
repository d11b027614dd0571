package loop

import (
	"crypto/tls"
	"io"
	"net"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fdSocket is a socket in an epoll set, plain or below TLS.
type fdSocket struct {
	l       *Loop
	fd      int // -1 once closed
	receive Receive
	secure  *tls.Conn // reads and writes through this socket; nil if plain
	first   io.Reader // to be emptied before anything else is read; nil afterwards
	ready   bool      // the kernel may have something
	budget  int       // how often it may still be asked in this turn
	ended   bool      // an event told that nothing more comes: read up to there
	over    bool      // an error was handed over
	queued  bool      // in the loop's list of those to go on with

	out  []byte // what the kernel's buffer had no room for
	sent int    // how much of out has left
	werr error  // of a write; told after what can still be read

	// Under TLS:
	raw    []byte // received, not yet taken; in the loop's buffer, so of this turn
	header [recordHeader]byte
	got    int // bytes of header
	left   int // bytes of the record that are not yet taken
}

// recordHeader is the length of a TLS record's header; the last two bytes are
// the length of what follows.
const recordHeader = 5

// maxRecord is the most that one record holds.
const maxRecord = 16 << 10

// turn hands over what came, up to a bound. Events are edge-triggered, which
// spares the kernel a second look at each socket; so a socket is read until it
// is empty, or put on the list of those to go on with.
func (s *fdSocket) turn() {
	s.budget = readsPerTurn
	for s.fd >= 0 && !s.over && (s.ready || s.first != nil || len(s.raw) > 0) {
		n, err := s.fill(s.l.buf)
		if err != nil && isNoData(err) {
			err = nil
			switch {
			case s.ready: // there is more than a turn takes
				s.l.goOn(s)
				if n == 0 {
					return
				}
			case s.werr != nil: // comes last
				err, s.werr = s.werr, nil
			}
		}
		s.over = err != nil
		if n > 0 || err != nil {
			s.receive(s.l.buf[:n], err)
		}
	}
}

// fill reads what there is, in one system call where that does.
func (s *fdSocket) fill(buf []byte) (n int, err error) {
	if s.first == nil && s.secure == nil {
		return s.recv(buf)
	}
	for n < len(buf) && (s.first != nil || len(buf)-n >= maxRecord) {
		var m int
		if s.first != nil {
			if m, err = s.first.Read(buf[n:]); isNoData(err) {
				s.first = nil
				return n + m, err
			}
		} else {
			m, err = s.secure.Read(buf[n:])
		}
		n += m
		if err != nil || s.first == nil && len(s.raw) == 0 && !s.ready {
			return n, err
		}
	}
	return n, nil
}

// recv reads from the kernel. A read that fills less than the buffer has
// emptied a stream socket (epoll(7)), so that no further one is needed; unless
// the end is to come, of which no other event would tell.
func (s *fdSocket) recv(buf []byte) (int, error) {
	if !s.ready || s.budget == 0 {
		return 0, errNoData
	}
	s.budget--
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(s.fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
		switch {
		case errno == unix.EINTR:
			continue
		case errno == unix.EAGAIN:
			s.ready = false
			return 0, errNoData
		case errno != 0:
			s.ready = false
			return 0, errno
		case n == 0:
			s.ready = false
			return 0, io.EOF
		}
		s.ready = s.ended || int(n) == len(buf)
		return int(n), nil
	}
}

// read is what a Conn reads from. To TLS it gives no more than the rest of one
// record, so that the bytes left in raw tell whether another read would return
// any.
func (s *fdSocket) read(p []byte) (int, error) {
	if s.secure == nil {
		return s.recv(p)
	}
	if len(s.raw) == 0 {
		n, err := s.recv(s.l.raw)
		if err != nil {
			return 0, err
		}
		s.raw = s.l.raw[:n]
	}
	if s.left == 0 {
		if s.got+len(s.raw) < recordHeader {
			n := copy(p, s.raw)
			s.got += copy(s.header[s.got:], s.raw[:n])
			s.raw = s.raw[n:]
			return n, nil
		}
		copy(s.header[s.got:], s.raw)
		s.left = recordHeader - s.got + int(s.header[3])<<8 + int(s.header[4])
		s.got = 0
	}
	n := copy(p, s.raw[:min(len(s.raw), s.left)])
	s.left -= n
	s.raw = s.raw[n:]
	return n, nil
}

// Write implements Socket.
func (s *fdSocket) Write(p []byte) error {
	if s.secure == nil {
		return s.write(p)
	}
	_, err := s.secure.Write(p)
	return err
}

// write takes all of p.
func (s *fdSocket) write(p []byte) error {
	if s.fd < 0 {
		return net.ErrClosed
	}
	if s.werr != nil {
		return nil
	}
	n := 0
	if len(s.out) == 0 {
		if n = s.send(p); n == len(p) || s.werr != nil {
			return nil
		}
		s.watch(readable | unix.EPOLLOUT)
	}
	s.out = append(s.out, p[n:]...)
	return nil
}

// send passes on to the kernel what it takes.
func (s *fdSocket) send(p []byte) int {
	sent := 0
	for sent < len(p) {
		// MSG_NOSIGNAL: a vanished server is an error here, not a SIGPIPE.
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(s.fd), uintptr(unsafe.Pointer(&p[sent])), uintptr(len(p)-sent), unix.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case 0:
			sent += int(n)
		case unix.EINTR:
		case unix.EAGAIN:
			return sent
		default:
			s.fail(errno)
			return sent
		}
	}
	return sent
}

// fail remembers a write error for the reading side, which first hands over
// what the peer said before it went away.
func (s *fdSocket) fail(err error) {
	s.werr, s.out, s.sent = err, nil, 0
	s.ready, s.ended = true, true
	s.l.goOn(s)
}

// keepBuffer is the most that is kept allocated for the next time.
const keepBuffer = 1 << 20

// resume sends on when the kernel has room again.
func (s *fdSocket) resume() {
	if len(s.out) == 0 {
		return
	}
	s.sent += s.send(s.out[s.sent:])
	if s.werr != nil || s.sent < len(s.out) {
		return
	}
	s.out, s.sent = s.out[:0], 0
	if cap(s.out) > keepBuffer {
		s.out = nil
	}
	s.watch(readable)
}

func (s *fdSocket) watch(events uint32) {
	if err := unix.EpollCtl(s.l.epfd, unix.EPOLL_CTL_MOD, s.fd, &unix.EpollEvent{Events: events, Fd: int32(s.fd)}); err != nil {
		s.fail(err)
	}
}

// Close implements Socket.
func (s *fdSocket) Close() {
	if s.secure == nil {
		s.closeDescriptor()
	} else if s.fd >= 0 {
		_ = s.secure.Close() // sends an alert, and closes the Conn
	}
}

func (s *fdSocket) closeDescriptor() {
	if s.fd < 0 {
		return
	}
	s.l.sockets[s.fd] = nil
	unix.Close(s.fd)
	s.fd, s.ready, s.first, s.raw, s.out = -1, false, nil, nil, nil
}

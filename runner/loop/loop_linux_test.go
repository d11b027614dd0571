package loop

import (
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// native is whether the loop reads sockets without goroutines.
const native = true

// Old kernels and the system call filters of containers refuse epoll_pwait2.
func TestWithoutPwait2(t *testing.T) {
	t.Parallel()
	for _, errno := range []syscall.Errno{unix.EPERM, unix.ENOSYS, unix.EINVAL} {
		t.Run(errno.Error(), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			calls := 0
			b.pwait2 = func(bool, int, []unix.EpollEvent, *unix.Timespec) (int, syscall.Errno) {
				calls++
				return -1, errno
			}
			client, server := kinds(t)[0].pair(t)
			go io.Copy(server, server)
			s := b.take(client)
			for n := range 3 {
				if err := s.Write([]byte("ping")); err != nil {
					t.Fatal(err)
				}
				b.until("the echo", func() bool { return len(s.got) == 4*(n+1) })
			}
			if calls != 1 {
				t.Errorf("epoll_pwait2 was tried %d times", calls)
			}
		})
	}
}

func TestWaitThatCannotWork(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.pwait2 = func(bool, int, []unix.EpollEvent, *unix.Timespec) (int, syscall.Errno) { return -1, unix.EBADF }
	if err := b.Wait(-1); err == nil || !strings.Contains(err.Error(), unix.EBADF.Error()) {
		t.Errorf("the error is %v", err)
	}
}

// A turn of one socket is bounded, however fast its peer is.
func TestTurnIsBounded(t *testing.T) {
	t.Parallel()
	for _, k := range kinds(t) {
		if k.pipe {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			client, server := k.pair(t)
			if err := Below(client).under.(*net.TCPConn).SetReadBuffer(8 << 20); err != nil {
				t.Fatal(err)
			}
			const total = 4 << 20
			sent := make(chan error, 1)
			go func() {
				_, err := server.Write(make([]byte, total))
				sent <- err
			}()
			s := b.take(client)
			for len(s.got) < total {
				before := len(s.got)
				b.until("the flood", func() bool { return len(s.got) > before })
				// A record of which a part came in the turn before is handed over whole.
				if n := len(s.got) - before; n > readsPerTurn*readBuffer+maxRecord {
					t.Fatalf("one turn took %d bytes", n)
				}
			}
			if err := <-sent; err != nil {
				t.Fatal(err)
			}
		})
	}
}

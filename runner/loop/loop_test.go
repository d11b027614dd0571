package loop

import (
	"bytes"
	"errors"
	"io"
	mrand "math/rand/v2"
	"net"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// safety ends a test that hangs.
const safety = time.Minute

// bench is a loop with its sockets.
type bench struct {
	testing.TB
	*Loop
	end time.Time
}

func newBench(tb testing.TB) *bench {
	tb.Helper()
	l, err := New()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(l.Close)
	return &bench{tb, l, time.Now().Add(safety)}
}

// sink collects what a socket receives.
type sink struct {
	Socket
	got []byte
	err error
}

func (b *bench) take(nc net.Conn) *sink {
	b.Helper()
	k := &sink{}
	s, err := b.Attach(nc, func(data []byte, err error) {
		if k.err != nil {
			b.Errorf("something came after %v", k.err)
		}
		k.got = append(k.got, data...)
		k.err = err
	})
	if err != nil {
		b.Fatal(err)
	}
	k.Socket = s
	b.Cleanup(s.Close)
	return k
}

// until waits for a condition.
func (b *bench) until(what string, done func() bool) {
	b.Helper()
	for !done() {
		if time.Now().After(b.end) {
			b.Fatalf("%s never came", what)
		}
		if err := b.Wait(time.Second); err != nil {
			b.Fatal(err)
		}
	}
}

// portions cuts random bytes into pieces of the given sizes.
func portions(sizes []int) (parts [][]byte, all []byte) {
	r := mrand.New(mrand.NewPCG(1, uint64(len(sizes))))
	for _, n := range sizes {
		p := make([]byte, n)
		for i := range p {
			p[i] = byte(r.Uint32())
		}
		parts, all = append(parts, p), append(all, p...)
	}
	return parts, all
}

func TestAnyPortionsArriveInOrder(t *testing.T) {
	t.Parallel()
	for _, k := range kinds(t) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				b := newBench(t)
				client, server := k.pair(t)
				size := rapid.OneOf(rapid.IntRange(1, 100), rapid.IntRange(1, 70_000))
				out, allOut := portions(rapid.SliceOfN(size, 0, 12).Draw(rt, "to the server"))
				in, allIn := portions(rapid.SliceOfN(size, 0, 12).Draw(rt, "to the client"))
				early := rapid.Bool().Draw(rt, "the first portion comes before Attach")
				wrote := make(chan struct{}, len(in)+1)
				go func() {
					for _, p := range in {
						if _, err := server.Write(p); err != nil {
							t.Error(err)
						}
						wrote <- struct{}{}
					}
				}()
				heard := make(chan []byte, 1)
				go func() {
					got := make([]byte, len(allOut))
					if n, err := io.ReadFull(server, got); err != nil {
						t.Errorf("%v after %d of %d bytes", err, n, len(got))
					}
					heard <- got
					b.Wake()
				}()
				if early && len(in) > 0 && !k.pipe && len(in[0]) < 10_000 {
					<-wrote
				}
				s := b.take(client)
				for _, p := range out {
					if err := s.Write(p); err != nil {
						t.Fatal(err)
					}
					if err := b.Wait(0); err != nil {
						t.Fatal(err)
					}
				}
				var got []byte
				done := false
				b.until("the bytes", func() bool {
					select {
					case got = <-heard:
						done = true
					default:
					}
					return done && len(s.got) >= len(allIn)
				})
				if !bytes.Equal(got, allOut) || !bytes.Equal(s.got, allIn) {
					t.Errorf("%d of %d bytes arrived at the server, %d of %d at the client, or in another order", len(got), len(allOut), len(s.got), len(allIn))
				}
				go server.Close() // TLS says goodbye, which takes a reader on a pipe
				b.until("the end", func() bool { return s.err != nil })
				if !errors.Is(s.err, io.EOF) {
					t.Errorf("the connection ended with %v", s.err)
				}
				s.Close()
				if err := s.Write([]byte("x")); err == nil {
					t.Error("a closed socket takes bytes")
				}
				b.Close()
			})
		})
	}
}

// A peer that says everything before it listens holds up neither the loop nor
// the others.
func TestWriteNeverBlocks(t *testing.T) {
	t.Parallel()
	for _, k := range kinds(t) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			deafClient, deaf := k.pair(t)
			client, server := k.pair(t)
			go io.Copy(server, server)
			stuck, other := b.take(deafClient), b.take(client)
			statement, result := bytes.Repeat([]byte("statement "), 1_600_000), bytes.Repeat([]byte("result "), 2_300_000)
			if err := stuck.Write(statement); err != nil {
				t.Fatal(err)
			}
			if err := other.Write([]byte("ping")); err != nil {
				t.Fatal(err)
			}
			b.until("the other's echo", func() bool { return string(other.got) == "ping" })
			go func() {
				if _, err := deaf.Write(result); err != nil {
					t.Error(err)
				}
				got := make([]byte, len(statement))
				if _, err := io.ReadFull(deaf, got); err != nil || !bytes.Equal(got, statement) {
					t.Errorf("the statement did not arrive: %v", err)
				}
				deaf.Write([]byte("."))
			}()
			b.until("the result and the confirmation", func() bool { return len(stuck.got) == len(result)+1 })
		})
	}
}

// What the peer said before it went away is handed over, although a write
// fails before it was read.
func TestLastWordsBeforeAFailedWrite(t *testing.T) {
	t.Parallel()
	for _, k := range kinds(t) {
		if k.pipe || !native {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			client, server := k.pair(t)
			s := b.take(client)
			if _, err := server.Write([]byte("terminating connection")); err != nil {
				t.Fatal(err)
			}
			server.Close()
			for range 100 { // into the void, until the kernel knows
				if err := s.Write(make([]byte, 10_000)); err != nil {
					t.Fatal(err)
				}
			}
			b.until("the end", func() bool { return s.err != nil })
			if string(s.got) != "terminating connection" {
				t.Errorf("got %q and %v", s.got, s.err)
			}
		})
	}
}

func TestSourceIsEmptiedFirst(t *testing.T) {
	t.Parallel()
	for _, k := range kinds(t) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			client, server := k.pair(t)
			Below(client).SetSource(io.MultiReader(strings.NewReader("read "), strings.NewReader("ahead "), client))
			s := b.take(client)
			go server.Write([]byte("and later"))
			b.until("all of it", func() bool { return string(s.got) == "read ahead and later" })
		})
	}
}

// A socket that has data without end leaves the others their turns.
func TestFloodLeavesOthersTheirTurn(t *testing.T) {
	t.Parallel()
	for _, k := range kinds(t) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			flooded, flood := k.pair(t)
			client, server := k.pair(t)
			go func() {
				for p := make([]byte, 1<<20); ; {
					if _, err := flood.Write(p); err != nil {
						return
					}
				}
			}()
			s, err := b.Attach(flooded, func([]byte, error) {})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			other := b.take(client)
			go io.Copy(server, server)
			for n := range 20 {
				if err := other.Write([]byte("ping")); err != nil {
					t.Fatal(err)
				}
				b.until("the other's echo", func() bool { return len(other.got) == 4*(n+1) })
			}
		})
	}
}

func TestWakeEndsAWait(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range 3 {
		go b.Wake()
		if err := b.Wait(-1); err != nil {
			t.Fatal(err)
		}
	}
}

// goroutines counts those of this package's own making.
func goroutines(tb testing.TB) int {
	var text bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&text, 2); err != nil {
		tb.Fatal(err)
	}
	return strings.Count(text.String(), "created by qbench/runner/loop.(*")
}

// Not parallel: it counts goroutines.
func TestGoroutinesEnd(t *testing.T) {
	for _, k := range kinds(t) {
		l, err := New()
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			client, _ := k.pair(t)
			s, err := l.Attach(client, func([]byte, error) {})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Write(make([]byte, 1000)); err != nil { // which a pipe's peer never reads
				t.Fatal(err)
			}
			if err := l.Wait(0); err != nil {
				t.Fatal(err)
			}
			if n := goroutines(t); native && !k.pipe && n > 0 {
				t.Fatalf("%s: %d goroutines for one socket", k.name, n)
			}
			s.Close()
		}
		l.Close()
		if n := goroutines(t); n != 0 {
			t.Errorf("%s: %d goroutines are left", k.name, n)
		}
	}
}

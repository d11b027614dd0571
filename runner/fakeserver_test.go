package runner

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"strings"
	"testing"
	"time"

	"qbench/runner/loop"
	"qbench/runner/script"
	"qbench/runner/wire"
)

// fakeServer answers the extended protocol by a list of canned replies, one per
// statement name, without a system call: what is left is the client's cost.
type fakeServer struct {
	replies map[string]reply
	texts   map[string]string // beginning of a statement to its name
	reply   []byte
	other   []byte // the buffer that is being delivered
	name    []byte
	parsed  string // statement behind the unnamed one
	status  byte
}

// reply is what a statement returns when it is described and executed.
type reply struct {
	describe, execute []byte
	status            byte // of the transaction afterwards; 0 leaves it
}

func message(kind byte, body ...byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4)), body...)
}

func commandTag(tag string) []byte { return message('C', append([]byte(tag), 0)...) }

func oneColumn(name, value string) (description, row []byte) {
	body := append([]byte{0, 1}, name...)
	body = append(body, make([]byte, 19)...)
	row = append([]byte{0, 1, 0, 0, 0, byte(len(value))}, value...)
	return message('T', body...), message('D', row...)
}

func (s *fakeServer) Write(p []byte) error {
	for len(p) > 0 {
		f, rest, ok, err := wire.Cut(p)
		if !ok || err != nil {
			panic("the client sent a malformed message")
		}
		p = rest
		switch f.Kind {
		case 'P':
			for text, name := range s.texts {
				if f.Body[0] == 0 && bytes.HasPrefix(f.Body[1:], []byte(text)) {
					s.parsed = name
				}
			}
			s.reply = append(s.reply, '1', 0, 0, 0, 4)
		case 'B':
			s.name = s.name[:0]
			for _, b := range f.Body[1:] {
				if b == 0 {
					break
				}
				s.name = append(s.name, b)
			}
			if len(s.name) == 0 {
				s.name = append(s.name, s.parsed...)
			}
			s.reply = append(s.reply, '2', 0, 0, 0, 4)
		case 'D':
			if f.Body[0] == 'S' {
				s.reply = append(s.reply, s.replies[strings.TrimRight(string(f.Body[1:]), "\x00")].describe...)
			} else {
				s.reply = append(s.reply, s.replies[string(s.name)].describe...)
			}
		case 'E':
			r := s.replies[string(s.name)]
			s.reply = append(s.reply, r.execute...)
			if r.status != 0 {
				s.status = r.status
			}
		case 'S':
			s.reply = append(s.reply, 'Z', 0, 0, 0, 5, s.status)
		}
	}
	return nil
}

func (s *fakeServer) Close() {}

// fakePoller delivers what the fake servers answered.
type fakePoller struct {
	loop  *eventLoop
	conns []*conn
}

func (p *fakePoller) Attach(net.Conn, loop.Receive) (loop.Socket, error) { return nil, nil }
func (p *fakePoller) Wake()                                              {}
func (p *fakePoller) Close()                                             {}
func (p *fakePoller) Wait(time.Duration) error {
	for _, c := range p.conns {
		s := c.sock.(*fakeServer)
		if len(s.reply) > 0 {
			s.reply, s.other = s.other[:0], s.reply
			p.loop.deliver(c, s.other, nil)
		}
	}
	return nil
}

const skipLockedScript = `begin;
select id as vid from t_order_q order by id for update skip locked limit 1 \gset
with tmp as (delete from t_order_q where id = :vid returning order_id, cts)
insert into t_order_u (order_id, cts, uts, status) select order_id, cts, now(), 1 from tmp;
end;
`

// fakeLoop is one loop with the given number of clients on fake servers.
func fakeLoop(tb testing.TB, mode Mode, clients int, transactions int64) *eventLoop {
	tb.Helper()
	syms := script.NewSymbols()
	s, err := script.Parse("skip-locked", skipLockedScript, syms)
	if err != nil {
		tb.Fatal(err)
	}
	cfg := Config{
		Consumers: Group{Clients: clients, Scripts: []Script{{Script: s, Weight: 1, Orders: []script.OrderCount{0, 0, script.CountRows, 0}}}},
		Threads:   1, Mode: mode, Transactions: transactions, MaxTries: 1, Symbols: syms,
	}
	r := &run{cfg: cfg, ctx: context.Background(), base: time.Now()}
	if r.programs, r.statements, err = compile(&r.cfg); err != nil {
		tb.Fatal(err)
	}
	if err := r.deal(); err != nil {
		tb.Fatal(err)
	}
	r.steady.Add(1)
	r.gun = make(chan struct{})
	close(r.gun)
	l := r.loops[0]
	l.poll.Close()
	p := &fakePoller{loop: l}
	l.poll = p
	description, row := oneColumn("vid", "12345")
	replies := map[string]reply{
		"P_0": {describe: message('n'), execute: commandTag("BEGIN"), status: 'T'},
		"P_1": {describe: description, execute: append(row, commandTag("SELECT 1")...)},
		"P_2": {describe: message('n'), execute: commandTag("INSERT 0 1")},
		"P_3": {describe: message('n'), execute: commandTag("COMMIT"), status: 'I'},
	}
	for _, c := range l.clients {
		cn := &conn{sock: &fakeServer{replies: replies, texts: map[string]string{"begin": "P_0", "select": "P_1", "with": "P_2", "end": "P_3"}, status: 'I'}, txStatus: 'I', prepared: make([]bool, r.statements), columns: make([][]int, r.statements)}
		c.adopt(cn)
		p.conns = append(p.conns, cn)
	}
	return l
}

// BenchmarkTransaction is the client's whole cost of one transaction of four
// statements, system calls excluded. It must not allocate.
func BenchmarkTransaction(b *testing.B) {
	for _, mode := range []Mode{Prepared, Extended, Pipelined} {
		b.Run(string(mode), func(b *testing.B) {
			l := fakeLoop(b, mode, 1, int64(b.N))
			b.ReportAllocs()
			b.ResetTimer()
			l.serve()
			b.StopTimer()
			if n := l.groups[0].stats.Orders; n != int64(b.N) {
				b.Fatalf("%d orders in %d transactions", n, b.N)
			}
		})
	}
}

// TestSteadyStateDoesNotAllocate holds the hot path to no allocation per
// transaction: ten thousand more transactions may cost no more allocations.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	for _, mode := range []Mode{Prepared, Extended, Pipelined} {
		// Set-up is in both, so that the difference is the steady state's.
		allocs := func(n int64) float64 {
			return testing.AllocsPerRun(1, func() { fakeLoop(t, mode, 4, n).serve() })
		}
		if few, many := allocs(10), allocs(2510); many-few > 20 {
			t.Errorf("%s: 10,000 more transactions made %.0f more allocations", mode, many-few)
		}
	}
}

// TestEmptyTransactionsDoNotAllocate: their histogram is made once for each loop, whatever their number.
func TestEmptyTransactionsDoNotAllocate(t *testing.T) {
	allocs := func(n int64) float64 {
		return testing.AllocsPerRun(1, func() {
			l := fakeLoop(t, Prepared, 4, n)
			l.clients[0].conn.sock.(*fakeServer).replies["P_2"] = reply{describe: message('n'), execute: commandTag("INSERT 0 0")} // all share it
			l.serve()
			if s := l.groups[0].stats; s.Empty != 4*n || s.EmptyHist.Count() != 4*n || s.LatencyHist.Count() != 0 {
				t.Fatalf("%d empty, %d and %d latencies", s.Empty, s.EmptyHist.Count(), s.LatencyHist.Count())
			}
		})
	}
	if few, many := allocs(10), allocs(2510); many-few > 20 {
		t.Errorf("10,000 more transactions that find no order made %.0f more allocations", many-few)
	}
}

func TestOrdersAreCountedByCommit(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{Prepared, Extended, Pipelined} {
		l := fakeLoop(t, mode, 3, 5)
		l.serve()
		s := l.groups[0].stats
		if s.Transactions != 15 || s.Orders != 15 || s.Empty != 0 || l.acked.Load() != 15 {
			t.Errorf("%s: %d transactions, %d orders, %d empty, %d acknowledged; want 15, 15, 0, 15", mode, s.Transactions, s.Orders, s.Empty, l.acked.Load())
		}
	}
}

// FuzzReceive feeds a waiting client any bytes in any portions.
func FuzzReceive(f *testing.F) {
	description, row := oneColumn("vid", "12345")
	reply := append(append(append(description, row...), commandTag("SELECT 1")...), message('Z', 'T')...)
	f.Add(reply, uint8(3))
	f.Add(message('E', []byte("SERROR\x00C40001\x00Mcould not serialize\x00\x00")...), uint8(1))
	f.Add(append(message('E', 'C', 0), message('Z', 'E')...), uint8(9))
	f.Add([]byte{'D', 0, 0, 0, 8, 0, 1, 0xff, 0xff}, uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, portion uint8) {
		l := fakeLoop(t, Extended, 1, 2)
		c := l.clients[0]
		c.advance() // sends BEGIN
		c.conn.sock.(*fakeServer).reply = nil
		step := int(portion) + 1
		for len(data) > 0 && c.conn != nil {
			n := min(step, len(data))
			l.deliver(c.conn, data[:n], nil)
			data = data[n:]
		}
	})
}

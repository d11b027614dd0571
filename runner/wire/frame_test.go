package wire

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func message(kind byte, body ...byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+lengthSize)), body...)
}

// frames reads a stream in parts whose lengths next gives.
func frames(r *Reader, stream []byte, next func() int) (got []Frame, err error) {
	for len(stream) > 0 && err == nil {
		n := min(max(0, next()), len(stream))
		err = r.Feed(slices.Clone(stream[:n]), func(f Frame) error {
			got = append(got, Frame{f.Kind, slices.Clone(f.Body)})
			return nil
		})
		stream = stream[n:]
	}
	return got, err
}

func sameFrame(a, b Frame) bool { return a.Kind == b.Kind && slices.Equal(a.Body, b.Body) }

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, stream string
		ok           bool
		kind         byte
		body, rest   string
		err          error
	}{
		{name: "nothing"},
		{name: "half a header", stream: "Z\x00\x00", rest: "Z\x00\x00"},
		{name: "no body", stream: "1\x00\x00\x00\x04", ok: true, kind: '1'},
		{name: "half a body", stream: "D\x00\x00\x00\x06a", rest: "D\x00\x00\x00\x06a"},
		{name: "a body", stream: "Z\x00\x00\x00\x05I", ok: true, kind: 'Z', body: "I"},
		{name: "more than one", stream: "Z\x00\x00\x00\x05IA\x00", ok: true, kind: 'Z', body: "I", rest: "A\x00"},
		{name: "too short a length", stream: "Z\x00\x00\x00\x03I", rest: "Z\x00\x00\x00\x03I", err: ErrMalformed},
		{name: "too long a length", stream: "Z\x40\x00\x00\x01", rest: "Z\x40\x00\x00\x01", err: ErrMalformed},
		{name: "a negative length", stream: "Z\xff\xff\xff\xff", rest: "Z\xff\xff\xff\xff", err: ErrMalformed},
		{name: "the longest", stream: "Z\x40\x00\x00\x00", rest: "Z\x40\x00\x00\x00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, rest, ok, err := Cut([]byte(c.stream))
			if ok != c.ok || f.Kind != c.kind || string(f.Body) != c.body || string(rest) != c.rest || !errors.Is(err, c.err) {
				t.Errorf("frame %c %q, rest %q, ok %v, error %v", f.Kind, f.Body, rest, ok, err)
			}
		})
	}
}

// Whatever the parts, the messages are the same.
func TestReaderTakesAnyParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		var want []Frame
		for range rapid.IntRange(0, 20).Draw(t, "messages") {
			f := Frame{rapid.Byte().Draw(t, "kind"), rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(t, "body")}
			want = append(want, f)
			stream = append(stream, message(f.Kind, f.Body...)...)
		}
		longest := rapid.SampledFrom([]int{1, 4, 5, 6, 30, 1000}).Draw(t, "longest part")
		var r Reader
		got, err := frames(&r, stream, func() int { return rapid.IntRange(0, longest).Draw(t, "part") })
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, want, sameFrame) {
			t.Fatalf("got %v, want %v", got, want)
		}
		if len(r.rest) != 0 {
			t.Fatalf("%d bytes are left", len(r.rest))
		}
	})
}

// An error is the end: no message after it is handed over.
func TestReaderEndsWithTheFirstError(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for _, c := range []struct {
		name  string
		bad   []byte
		want  error
		calls int
	}{
		{"of the handler", message('E'), refused, 2},
		{"of the stream", []byte{'Z', 0, 0, 0, 0}, ErrMalformed, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r Reader
			calls := 0
			handle := func(f Frame) error {
				calls++
				if f.Kind == 'E' {
					return refused
				}
				return nil
			}
			stream := append(append(message('A'), c.bad...), message('A')...)
			for _, part := range [][]byte{stream, message('A')} {
				if err := r.Feed(part, handle); !errors.Is(err, c.want) {
					t.Errorf("error %v, want %v", err, c.want)
				}
			}
			if calls != c.calls {
				t.Errorf("%d messages were handed over, want %d", calls, c.calls)
			}
		})
	}
}

// A message of 128 MiB in small parts: copied once for each part, it would take
// half an hour.
func TestLargeMessageInSmallParts(t *testing.T) {
	t.Parallel()
	const length, part = 128 << 20, 2 << 10
	var r Reader
	var kinds []byte
	feed := func(part []byte) {
		t.Helper()
		if err := r.Feed(part, func(f Frame) error { kinds = append(kinds, f.Kind); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	chunk := make([]byte, part)
	head := binary.BigEndian.AppendUint32([]byte{'D'}, length-1)
	feed(head[:3])
	feed(head[3:])
	for got := len(head); got < length; got += part {
		feed(chunk[:min(part, length-got)])
	}
	if len(r.rest) != 0 || cap(r.rest) > keepBuffer {
		t.Errorf("%d bytes are left, in a buffer of %d", len(r.rest), cap(r.rest))
	}
	feed(message('A'))
	if string(kinds) != "DA" {
		t.Errorf("messages %q, want DA", kinds)
	}
}

func TestReaderDoesNotAllocate(t *testing.T) {
	var r Reader
	stream := append(append(message('1'), message('D', make([]byte, 100)...)...), message('Z', 'I')...)
	n := 0
	handle := func(Frame) error { n++; return nil }
	read := func() {
		for _, cut := range []int{3, 50, len(stream)} {
			_ = r.Feed(stream[:cut], handle)
			_ = r.Feed(stream[cut:], handle)
		}
	}
	if per := testing.AllocsPerRun(100, read); per != 0 || n == 0 {
		t.Errorf("%v allocations for each, %d messages", per, n)
	}
}

// FuzzReader reads any bytes in any portions: the messages and the error are
// those of the whole, and a message with its header is what was in the stream.
func FuzzReader(f *testing.F) {
	f.Add(slices.Concat(message('T', 0, 1), message('D', 0, 1, 0, 0), message('C', []byte("SELECT 1\x00")...), message('Z', 'T')), []byte{3})
	f.Add(append(message('Z', 'I'), 'Z', 0, 0, 0, 1, 'Z', 0, 0, 0, 5, 'I'), []byte{1, 6})
	f.Add([]byte{'D', 0x7f, 0xff, 0xff, 0xff, 1, 2, 3}, []byte{5, 0, 1})
	f.Add([]byte{'D', 0, 1, 0, 0, 1, 2, 3}, []byte{4, 1})
	f.Fuzz(func(t *testing.T, stream, portions []byte) {
		var whole, parts Reader
		want, wantErr := frames(&whole, stream, func() int { return len(stream) })
		var sum []byte
		for _, f := range want {
			sum = append(sum, message(f.Kind, f.Body...)...)
		}
		if !slices.Equal(sum, stream[:len(sum)]) {
			t.Fatalf("messages %v of %v", want, stream)
		}
		if wantErr == nil && len(sum)+len(whole.rest) != len(stream) {
			t.Fatalf("%d bytes are lost", len(stream)-len(sum)-len(whole.rest))
		}
		i := 0
		got, err := frames(&parts, stream, func() int {
			if i++; i%2 == 0 || len(portions) == 0 {
				return i // always some, so that it ends
			}
			return int(portions[i%len(portions)])
		})
		if !slices.EqualFunc(got, want, sameFrame) || !errors.Is(err, wantErr) {
			t.Fatalf("in parts %v and %v, as a whole %v and %v", got, err, want, wantErr)
		}
		// An error may come with the header, before the parts that follow.
		if err == nil && !slices.Equal(parts.rest, whole.rest) {
			t.Fatalf("left %v, as a whole %v", parts.rest, whole.rest)
		}
	})
}

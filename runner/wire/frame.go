package wire

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Kinds of messages to the server.
const (
	KindBind      = 'B'
	KindDescribe  = 'D'
	KindExecute   = 'E'
	KindParse     = 'P'
	KindQuery     = 'Q'
	KindSync      = 'S'
	KindTerminate = 'X'
)

// Kinds of messages from the server.
const (
	KindParseComplete        = '1'
	KindNotificationResponse = 'A'
	KindCommandComplete      = 'C'
	KindDataRow              = 'D'
	KindErrorResponse        = 'E'
	KindCopyInResponse       = 'G'
	KindCopyOutResponse      = 'H'
	KindEmptyQueryResponse   = 'I'
	KindNoticeResponse       = 'N'
	KindRowDescription       = 'T'
	KindCopyBothResponse     = 'W'
	KindReadyForQuery        = 'Z'
)

// Frame is one message, of either direction.
type Frame struct {
	Kind byte
	Body []byte // what follows the length
}

const (
	lengthSize = 4
	headerSize = 1 + lengthSize // the kind and the length
	// longest bounds the length that is believed; PostgreSQL's own limit is 1 GiB.
	longest = 1 << 30
	// keepBuffer is the most that a Reader keeps allocated for the next message.
	keepBuffer = 1 << 20
)

// ErrMalformed tells that a length cannot be one: the stream is not
// PostgreSQL's, or a part of it was lost.
var ErrMalformed = errors.New("the server sent a malformed message")

// Cut cuts the first message off buf. ok is false where buf holds no whole one.
func Cut(buf []byte) (f Frame, rest []byte, ok bool, err error) {
	if len(buf) < headerSize {
		return Frame{}, buf, false, nil
	}
	n := int(binary.BigEndian.Uint32(buf[1:]))
	if n < lengthSize || n > longest {
		return Frame{}, buf, false, ErrMalformed
	}
	if len(buf) < n+1 {
		return Frame{}, buf, false, nil
	}
	return Frame{buf[0], buf[headerSize : n+1 : n+1]}, buf[n+1:], true, nil
}

// Reader cuts a stream into messages; the zero value stands at its beginning.
// Each byte is looked at and copied a bounded number of times, whatever the
// parts are that the stream comes in.
type Reader struct {
	rest  []byte // received, but not yet a whole message
	whole int    // the length of that message, 0 if unknown
	err   error  // the first one
}

// Feed takes the next part of the stream, of any length, and calls handle for
// each message that it completes. A frame's body is valid during the call only.
// The error is that of handle, or ErrMalformed; it ends the stream, and each
// further Feed returns it again.
func (r *Reader) Feed(part []byte, handle func(Frame) error) error {
	if r.err != nil {
		return r.err
	}
	if len(r.rest) > 0 {
		r.keep(part)
		if len(r.rest) < r.whole {
			return nil
		}
		part = r.rest
	}
	for {
		f, rest, ok, err := Cut(part)
		if ok {
			err = handle(f)
		}
		if err != nil {
			r.rest, r.err = nil, err
			return err
		}
		if !ok {
			break
		}
		part = rest
	}
	if cap(r.rest) > keepBuffer {
		r.rest = nil
	}
	r.rest = append(r.rest[:0], part...)
	r.whole = 0
	if len(r.rest) >= headerSize {
		r.whole = int(binary.BigEndian.Uint32(r.rest[1:])) + 1
	}
	return nil
}

// keep adds to the bytes of a message that is not yet whole. The buffer doubles,
// at most up to the message's length, so that a large value is copied a few
// times and not once for each part that comes.
func (r *Reader) keep(part []byte) {
	if need := len(r.rest) + len(part); need > cap(r.rest) {
		r.rest = slices.Grow(r.rest, max(len(part), min(r.whole, 2*cap(r.rest))-len(r.rest)))
	}
	r.rest = append(r.rest, part...)
}

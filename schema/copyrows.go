package schema

import (
	"crypto/md5"
	"encoding/binary"
	"io"
	"strconv"
	"time"
)

// blockSize is how many consecutive orders one loader takes at a time. Small
// blocks keep the heap nearly in the order of id although several loaders fill
// it: clients then find the next orders on the page they have just read, as
// they would after a plain INSERT … SELECT.
const blockSize = 1000

// copyRows produces a queue's rows in the binary format of COPY. Computing them
// here is several times cheaper for the server than INSERT … SELECT, which
// writes a WAL record per row where COPY writes one per page.
type copyRows struct {
	take    func() (Range, bool) // the next block
	now     func() time.Time     // the server's wall clock
	seed    []byte               // "SEED:"
	columns int
	row     rowFunc

	buf     []byte // encoded, not yet read
	read    int
	number  []byte // scratch: "SEED:N"
	started bool
	ended   bool
}

// copySignature is the head of a binary COPY: signature, flags, no extension.
// https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format".
const copySignature = "PGCOPY\n\xff\r\n\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"

// copyTrailer is the field count of -1 that ends a binary COPY.
const copyTrailer = "\xff\xff"

// copyEpoch is what timestamps count from, in microseconds.
var copyEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func newCopyRows(seed uint64, columns int, row rowFunc, take func() (Range, bool), now func() time.Time) *copyRows {
	return &copyRows{take: take, now: now, seed: append(strconv.AppendUint(nil, seed, 10), ':'), columns: columns, row: row}
}

// Read implements io.Reader.
func (r *copyRows) Read(p []byte) (int, error) {
	for r.read == len(r.buf) {
		if r.ended {
			return 0, io.EOF
		}
		r.fill()
	}
	n := copy(p, r.buf[r.read:])
	r.read += n
	return n, nil
}

// fill encodes the next block.
func (r *copyRows) fill() {
	r.buf, r.read = r.buf[:0], 0
	if !r.started {
		r.buf = append(r.buf, copySignature...)
		r.started = true
	}
	block, ok := r.take()
	if !ok {
		r.buf = append(r.buf, copyTrailer...)
		r.ended = true
		return
	}
	now := r.now()
	for n := block.First; n <= block.Last; n++ {
		r.number = strconv.AppendInt(append(r.number[:0], r.seed...), n, 10)
		b := binary.BigEndian.AppendUint16(r.buf, uint16(r.columns))
		r.buf = r.row(b, order{n, md5.Sum(r.number), now})
	}
}

// field appends a field of COPY's binary format: its length, then its bytes.
func field(b, value []byte) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(value))), value...)
}

// fieldInt8 appends a bigint.
func fieldInt8(b []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, 8), uint64(n))
}

// fieldTimestamp appends a timestamp.
func fieldTimestamp(b []byte, t time.Time) []byte {
	return fieldInt8(b, t.Sub(copyEpoch).Microseconds())
}

// fieldInt4 appends an int.
func fieldInt4(b []byte, n int32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, 4), uint32(n))
}

// fieldNull appends a null: a length of -1.
func fieldNull(b []byte) []byte { return append(b, 0xff, 0xff, 0xff, 0xff) }

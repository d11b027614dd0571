package wire

import "encoding/binary"

// Messages that never vary.
var (
	describePortal = []byte{KindDescribe, 0, 0, 0, 6, 'P', 0}
	execute        = []byte{KindExecute, 0, 0, 0, 9, 0, 0, 0, 0, 0}
	syncing        = []byte{KindSync, 0, 0, 0, 4}
	terminate      = []byte{KindTerminate, 0, 0, 0, 4}
)

// begin appends a message's type and a length to be patched by end.
func begin(out []byte, kind byte) ([]byte, int) {
	return append(out, kind, 0, 0, 0, 0), len(out) + 1
}

func end(out []byte, at int) []byte {
	binary.BigEndian.PutUint32(out[at:], uint32(len(out)-at))
	return out
}

func appendString(out []byte, s string) []byte { return append(append(out, s...), 0) }

// AppendQuery appends a simple query whose text is what text appends.
func AppendQuery(out []byte, text func([]byte) []byte) []byte {
	out, at := begin(out, KindQuery)
	out = append(text(out), 0)
	return end(out, at)
}

// AppendParse appends a Parse of the statement name ("" is the unnamed one),
// without parameter types; its text is what text appends.
func AppendParse(out []byte, name string, text func([]byte) []byte) []byte {
	out, at := begin(out, KindParse)
	out = appendString(out, name)
	out = append(text(out), 0)
	out = append(out, 0, 0) // no parameter types
	return end(out, at)
}

// AppendBind appends a Bind of the statement name to the unnamed portal, with
// all parameters and results as text. value appends the i-th of n parameters,
// from 0; false, with nothing appended, is NULL.
func AppendBind(out []byte, name string, n int, value func(out []byte, i int) ([]byte, bool)) []byte {
	out, at := begin(out, KindBind)
	out = append(out, 0) // the unnamed portal
	out = appendString(out, name)
	out = append(out, 0, 0) // all parameters in text format
	out = binary.BigEndian.AppendUint16(out, uint16(n))
	for i := range n {
		out = append(out, 0xff, 0xff, 0xff, 0xff) // NULL
		from := len(out)
		var ok bool
		if out, ok = value(out, i); ok {
			binary.BigEndian.PutUint32(out[from-lengthSize:], uint32(len(out)-from))
		}
	}
	out = append(out, 0, 0) // all results in text format
	return end(out, at)
}

// AppendDescribeStatement asks for the parameters and columns of a prepared
// statement.
func AppendDescribeStatement(out []byte, name string) []byte {
	out, at := begin(out, KindDescribe)
	out = append(out, 'S')
	out = appendString(out, name)
	return end(out, at)
}

// AppendDescribePortal asks for the columns of the unnamed portal.
func AppendDescribePortal(out []byte) []byte { return append(out, describePortal...) }

// AppendExecute executes the unnamed portal without a row limit, as libpq does.
func AppendExecute(out []byte) []byte { return append(out, execute...) }

// AppendSync ends a series of messages of the extended protocol.
func AppendSync(out []byte) []byte { return append(out, syncing...) }

// AppendTerminate says goodbye.
func AppendTerminate(out []byte) []byte { return append(out, terminate...) }

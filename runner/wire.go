package runner

import "encoding/binary"

// Messages that never vary. The portal and the statement are unnamed, the
// execution has no row limit, as libpq sends them.
var (
	msgDescribePortal = []byte{'D', 0, 0, 0, 6, 'P', 0}
	msgExecute        = []byte{'E', 0, 0, 0, 9, 0, 0, 0, 0, 0}
	msgSync           = []byte{'S', 0, 0, 0, 4}
	msgTerminate      = []byte{'X', 0, 0, 0, 4}
)

// frameHeader is the type byte and the length of a message.
const frameHeader = 5

// maxFrame bounds the length that is believed; PostgreSQL's own limit is 1 GiB.
const maxFrame = 1 << 30

// beginMsg appends a message's type and a length to be patched by endMsg.
func beginMsg(out []byte, kind byte) ([]byte, int) {
	return append(out, kind, 0, 0, 0, 0), len(out) + 1
}

func endMsg(out []byte, at int) []byte {
	binary.BigEndian.PutUint32(out[at:], uint32(len(out)-at))
	return out
}

// appendQuery appends a simple query whose text text() appends.
func appendQuery(out []byte, text func([]byte) []byte) []byte {
	out, at := beginMsg(out, 'Q')
	out = append(text(out), 0)
	return endMsg(out, at)
}

// appendParse appends a Parse without parameter types.
func appendParse(out []byte, name string, text func([]byte) []byte) []byte {
	out, at := beginMsg(out, 'P')
	out = append(append(out, name...), 0)
	out = append(text(out), 0)
	out = binary.BigEndian.AppendUint16(out, 0)
	return endMsg(out, at)
}

// appendDescribeStatement asks for a prepared statement's parameters and
// columns.
func appendDescribeStatement(out []byte, name string) []byte {
	out, at := beginMsg(out, 'D')
	out = append(out, 'S')
	out = append(append(out, name...), 0)
	return endMsg(out, at)
}

// frame is one message from the server.
type frame struct {
	kind byte
	body []byte
}

// nextFrame cuts the first message off buf. ok is false when buf holds no
// whole message; bad is true when the length cannot be one.
func nextFrame(buf []byte) (f frame, rest []byte, ok, bad bool) {
	if len(buf) < frameHeader {
		return frame{}, buf, false, false
	}
	n := int(binary.BigEndian.Uint32(buf[1:]))
	if n < 4 || n > maxFrame {
		return frame{}, buf, false, true
	}
	if len(buf) < n+1 {
		return frame{}, buf, false, false
	}
	return frame{buf[0], buf[frameHeader : n+1 : n+1]}, buf[n+1:], true, false
}

// frameLength is the length of the message that buf begins with, 0 where that
// cannot be told yet.
func frameLength(buf []byte) int {
	if len(buf) < frameHeader {
		return 0
	}
	return int(binary.BigEndian.Uint32(buf[1:])) + 1
}

// commandRows is the row count at the end of a command tag ("INSERT 0 1",
// "DELETE 3", "SELECT 5"), 0 where there is none.
func commandRows(tag []byte) int64 {
	if n := len(tag); n > 0 && tag[n-1] == 0 {
		tag = tag[:n-1]
	}
	var rows, unit int64 = 0, 1
	for i := len(tag) - 1; i >= 0 && tag[i] >= '0' && tag[i] <= '9'; i-- {
		rows += int64(tag[i]-'0') * unit
		unit *= 10
	}
	if unit == 1 {
		return 0
	}
	return rows
}

// columnName cuts one column's name off a RowDescription's body (after its
// two-byte count); nil and nil at the end or for a malformed message.
func columnName(body []byte) (name, rest []byte) {
	const fixed = 18 // table, column, type, length, modifier, format
	for i, c := range body {
		if c == 0 {
			if len(body) < i+1+fixed {
				return nil, nil
			}
			return body[:i], body[i+1+fixed:]
		}
	}
	return nil, nil
}

// columnValue cuts one value off a DataRow's body (after its two-byte count);
// null for SQL's NULL, ok false for a malformed message.
func columnValue(body []byte) (value, rest []byte, null, ok bool) {
	if len(body) < 4 {
		return nil, nil, false, false
	}
	n := int32(binary.BigEndian.Uint32(body))
	body = body[4:]
	if n == -1 {
		return nil, body, true, true
	}
	if n < 0 || int(n) > len(body) {
		return nil, nil, false, false
	}
	return body[:n], body[n:], false, true
}

// errorField is the text of one field of an ErrorResponse, such as 'C' for the
// SQLSTATE; nil where it is missing.
func errorField(body []byte, field byte) []byte {
	for len(body) > 1 && body[0] != 0 {
		end := 1
		for end < len(body) && body[end] != 0 {
			end++
		}
		if body[0] == field {
			return body[1:end]
		}
		if end+1 > len(body) {
			return nil
		}
		body = body[end+1:]
	}
	return nil
}

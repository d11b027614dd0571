package wire

import (
	"bytes"
	"encoding/binary"
)

// CommandTag is the text of a CommandComplete's body, such as "INSERT 0 1".
func CommandTag(body []byte) []byte { return bytes.TrimSuffix(body, []byte{0}) }

// CommandRows is the row count at the end of a CommandComplete's body ("INSERT
// 0 1", "DELETE 3", "SELECT 5"), 0 where there is none.
func CommandRows(body []byte) int64 {
	tag := CommandTag(body)
	var rows, unit int64 = 0, 1
	for i := len(tag) - 1; i >= 0 && tag[i] >= '0' && tag[i] <= '9'; i-- {
		rows += int64(tag[i]-'0') * unit
		unit *= 10
	}
	return rows
}

// CommandWrites tells from a CommandComplete's body whether the statement itself
// changed rows.
func CommandWrites(body []byte) bool {
	word, _, _ := bytes.Cut(CommandTag(body), []byte{' '})
	switch string(word) {
	case "INSERT", "UPDATE", "DELETE", "MERGE":
		return true
	}
	return false
}

// Transaction states of a ReadyForQuery.
const (
	Idle     = 'I' // no transaction block is open
	InBlock  = 'T'
	InFailed = 'E' // the block accepts nothing but its end
)

// TransactionStatus is the state in a ReadyForQuery's body; ok is false where
// the message is malformed.
func TransactionStatus(body []byte) (status byte, ok bool) {
	if len(body) != 1 {
		return 0, false
	}
	return body[0], true
}

// FieldCount cuts the number of fields off the body of a RowDescription or a
// DataRow; ok is false where the message is malformed.
func FieldCount(body []byte) (n int, fields []byte, ok bool) {
	const size = 2
	if len(body) < size {
		return 0, nil, false
	}
	return int(binary.BigEndian.Uint16(body)), body[size:], true
}

// ColumnName cuts the first column's name off the fields of a RowDescription;
// ok is false at the end and where the message is malformed.
func ColumnName(fields []byte) (name, rest []byte, ok bool) {
	const fixed = 18 // table, column, type, length, modifier, format
	i := bytes.IndexByte(fields, 0)
	if i < 0 || len(fields) < i+1+fixed {
		return nil, nil, false
	}
	return fields[:i], fields[i+1+fixed:], true
}

// ColumnValue cuts the first value off the fields of a DataRow; null is SQL's
// NULL, ok false at the end and where the message is malformed.
func ColumnValue(fields []byte) (value, rest []byte, null, ok bool) {
	if len(fields) < lengthSize {
		return nil, nil, false, false
	}
	n := int32(binary.BigEndian.Uint32(fields))
	fields = fields[lengthSize:]
	if n == -1 {
		return nil, fields, true, true
	}
	if n < 0 || int(n) > len(fields) {
		return nil, nil, false, false
	}
	return fields[:n], fields[n:], false, true
}

package wire

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestCommandTags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body, tag string
		rows      int64
		writes    bool
	}{
		{"INSERT 0 1\x00", "INSERT 0 1", 1, true},
		{"INSERT 0 12", "INSERT 0 12", 12, true},
		{"DELETE 37\x00", "DELETE 37", 37, true},
		{"UPDATE 0\x00", "UPDATE 0", 0, true},
		{"MERGE 3\x00", "MERGE 3", 3, true},
		{"SELECT 100\x00", "SELECT 100", 100, false},
		{"FETCH 2\x00", "FETCH 2", 2, false},
		{"BEGIN\x00", "BEGIN", 0, false},
		{"INSERTED 1\x00", "INSERTED 1", 1, false},
		{"7\x00", "7", 7, false},
		{"\x00", "", 0, false},
		{"", "", 0, false},
	} {
		body := []byte(c.body)
		if tag, rows, writes := CommandTag(body), CommandRows(body), CommandWrites(body); string(tag) != c.tag || rows != c.rows || writes != c.writes {
			t.Errorf("%q: tag %q, %d rows, writes %v", c.body, tag, rows, writes)
		}
	}
}

func TestTransactionStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body   string
		status byte
		ok     bool
	}{{"I", Idle, true}, {"T", InBlock, true}, {"E", InFailed, true}, {"", 0, false}, {"II", 0, false}} {
		if status, ok := TransactionStatus([]byte(c.body)); status != c.status || ok != c.ok {
			t.Errorf("%q: %c, %v", c.body, status, ok)
		}
	}
}

func TestMalformedFields(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "\x00"} {
		if _, _, ok := FieldCount([]byte(body)); ok {
			t.Errorf("%q has a number of fields", body)
		}
	}
	for _, fields := range []string{"", "name", "name\x00", "name\x0012345678901234567"} {
		if name, _, ok := ColumnName([]byte(fields)); ok {
			t.Errorf("%q has the name %q", fields, name)
		}
	}
	for _, fields := range []string{"", "\x00\x00\x00", "\x00\x00\x00\x01", "\x7f\xff\xff\xff1", "\xff\xff\xff\xfe1"} {
		if value, _, _, ok := ColumnValue([]byte(fields)); ok {
			t.Errorf("%q has the value %q", fields, value)
		}
	}
}

// What a server encodes is what is decoded, column by column.
func TestRowsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[^\x00]{0,20}`), 0, 20).Draw(t, "names")
		values := rapid.SliceOfN(rapid.Ptr(rapid.SliceOf(rapid.Byte()), true), len(names), len(names)).Draw(t, "values")
		header := binary.BigEndian.AppendUint16(nil, uint16(len(names)))
		description, row := slices.Clone(header), slices.Clone(header)
		for i, name := range names {
			description = append(append(append(description, name...), 0), rapid.SliceOfN(rapid.Byte(), 18, 18).Draw(t, "type")...)
			if values[i] == nil {
				row = binary.BigEndian.AppendUint32(row, 0xffffffff)
			} else {
				row = append(binary.BigEndian.AppendUint32(row, uint32(len(*values[i]))), *values[i]...)
			}
		}
		n, columns, ok := FieldCount(description)
		m, fields, ok2 := FieldCount(row)
		if !ok || !ok2 || n != len(names) || m != len(names) {
			t.Fatalf("%d names and %d values, want %d", n, m, len(names))
		}
		for i := range names {
			var name, value []byte
			var null bool
			if name, columns, ok = ColumnName(columns); !ok || string(name) != names[i] {
				t.Fatalf("name %d is %q, %v; want %q", i, name, ok, names[i])
			}
			if value, fields, null, ok = ColumnValue(fields); !ok || null != (values[i] == nil) || !null && !slices.Equal(value, *values[i]) {
				t.Fatalf("value %d is %q (null %v, %v), want %v", i, value, null, ok, values[i])
			}
		}
		if len(columns) != 0 || len(fields) != 0 {
			t.Fatalf("%d and %d bytes are left", len(columns), len(fields))
		}
	})
}

// FuzzFields takes any body apart as each message that has fields.
func FuzzFields(f *testing.F) {
	f.Add([]byte("\x00\x01vid\x00123456789012345678"))
	f.Add([]byte("\x00\x02\x00\x00\x00\x01a\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, body []byte) {
		CommandRows(body)
		CommandWrites(body)
		TransactionStatus(body)
		_, fields, ok := FieldCount(body)
		for rest := fields; ok; {
			before := len(rest)
			if _, rest, ok = ColumnName(rest); ok && len(rest) >= before {
				t.Fatal("a name took nothing")
			}
		}
		for rest, ok := fields, true; ok; {
			before := len(rest)
			if _, rest, _, ok = ColumnValue(rest); ok && len(rest) >= before {
				t.Fatal("a value took nothing")
			}
		}
	})
}

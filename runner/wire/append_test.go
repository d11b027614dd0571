package wire

import (
	"bytes"
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

func text(s string) func([]byte) []byte {
	return func(out []byte) []byte { return append(out, s...) }
}

func TestAppend(t *testing.T) {
	t.Parallel()
	values := []string{"12", "", "NULL"}
	bind := func(out []byte) []byte {
		return AppendBind(out, "P_1", len(values), func(out []byte, i int) ([]byte, bool) {
			if values[i] == "NULL" {
				return out, false
			}
			return append(out, values[i]...), true
		})
	}
	for _, c := range []struct {
		name string
		add  func([]byte) []byte
		want string
	}{
		{"Query", func(out []byte) []byte { return AppendQuery(out, text("select 1")) }, "Q\x00\x00\x00\x0dselect 1\x00"},
		{"Parse", func(out []byte) []byte { return AppendParse(out, "P_1", text("end")) }, "P\x00\x00\x00\x0eP_1\x00end\x00\x00\x00"},
		{"unnamed Parse", func(out []byte) []byte { return AppendParse(out, "", text("end")) }, "P\x00\x00\x00\x0b\x00end\x00\x00\x00"},
		{"Bind", bind, "B\x00\x00\x00\x1d\x00P_1\x00\x00\x00\x00\x03\x00\x00\x00\x0212\x00\x00\x00\x00\xff\xff\xff\xff\x00\x00"},
		{"Describe a statement", func(out []byte) []byte { return AppendDescribeStatement(out, "P_1") }, "D\x00\x00\x00\x09SP_1\x00"},
		{"Describe the portal", AppendDescribePortal, "D\x00\x00\x00\x06P\x00"},
		{"Execute", AppendExecute, "E\x00\x00\x00\x09\x00\x00\x00\x00\x00"},
		{"Sync", AppendSync, "S\x00\x00\x00\x04"},
		{"Terminate", AppendTerminate, "X\x00\x00\x00\x04"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			const before = "what is there stays"
			if got := c.add([]byte(before)); string(got) != before+c.want {
				t.Errorf("got %q, want %q", got[len(before):], c.want)
			}
		})
	}
}

// What is encoded is one message after the other, and a Bind holds what it was
// given, whatever the text.
func TestEncodeDecodeRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[^\x00]{0,30}`)
		name, sql := word.Draw(t, "name"), word.Draw(t, "sql")
		values := rapid.SliceOfN(rapid.Ptr(rapid.SliceOf(rapid.Byte()), true), 0, 20).Draw(t, "values")
		out := AppendParse(nil, name, text(sql))
		out = AppendBind(out, name, len(values), func(out []byte, i int) ([]byte, bool) {
			if values[i] == nil {
				return out, false
			}
			return append(out, *values[i]...), true
		})
		out = AppendDescribeStatement(out, name)
		out = AppendDescribePortal(out)
		out = AppendExecute(out)
		out = AppendQuery(out, text(sql))
		out = AppendSync(out)
		out = AppendTerminate(out)

		var r Reader
		var kinds []byte
		longest := rapid.IntRange(1, 100).Draw(t, "longest part")
		got, err := frames(&r, out, func() int { return rapid.IntRange(0, longest).Draw(t, "part") })
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range got {
			kinds = append(kinds, f.Kind)
		}
		if string(kinds) != "PBDDEQSX" || len(r.rest) != 0 {
			t.Fatalf("messages %q, %d bytes left", kinds, len(r.rest))
		}
		if want := name + "\x00" + sql + "\x00\x00\x00"; string(got[0].Body) != want {
			t.Fatalf("Parse %q, want %q", got[0].Body, want)
		}
		if string(got[5].Body) != sql+"\x00" {
			t.Fatalf("Query %q, want %q", got[5].Body, sql)
		}
		head := append(append([]byte{0}, name...), 0, 0, 0)
		head = binary.BigEndian.AppendUint16(head, uint16(len(values)))
		rest, ok := bytes.CutPrefix(got[1].Body, head)
		if !ok {
			t.Fatalf("Bind begins %q, want %q", got[1].Body, head)
		}
		for i := range values {
			var value []byte
			var null bool
			// A parameter is encoded as a column's value is.
			if value, rest, null, ok = ColumnValue(rest); !ok || null != (values[i] == nil) || !null && !bytes.Equal(value, *values[i]) {
				t.Fatalf("parameter %d is %q (null %v, %v), want %v", i, value, null, ok, values[i])
			}
		}
		if string(rest) != "\x00\x00" {
			t.Fatalf("Bind ends with %q", rest)
		}
	})
}

func TestAppendDoesNotAllocate(t *testing.T) {
	out := make([]byte, 0, 1<<10)
	sql, values := "select 1", []string{"1", "two"}
	encode := func() {
		out = AppendParse(out[:0], "P_1", func(out []byte) []byte { return append(out, sql...) })
		out = AppendBind(out, "P_1", len(values), func(out []byte, i int) ([]byte, bool) { return append(out, values[i]...), true })
		out = AppendQuery(AppendSync(AppendExecute(AppendDescribePortal(out))), func(out []byte) []byte { return append(out, sql...) })
	}
	if per := testing.AllocsPerRun(100, encode); per != 0 {
		t.Errorf("%v allocations for each", per)
	}
}

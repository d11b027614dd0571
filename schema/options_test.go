package schema

import (
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		in, want Options
		err      string
	}{
		{"defaults", Options{Workload: "orders"}, Options{Workload: "orders", Layout: Plain}, ""},
		{"plain unlogged", Options{Workload: "orders", Layout: Plain, Unlogged: true}, Options{Workload: "orders", Layout: Unlogged, Unlogged: true}, ""},
		{"unlogged", Options{Workload: "orders", Layout: Unlogged}, Options{Workload: "orders", Layout: Unlogged, Unlogged: true}, ""},
		{"partitioned", Options{Workload: "orders", Layout: Partitioned}, Options{Workload: "orders", Layout: Partitioned, Partitions: DefaultPartitions}, ""},
		{"partitions of a plain queue", Options{Workload: "orders", Partitions: 9}, Options{Workload: "orders", Layout: Plain}, ""},
		{"functions", Options{Workload: "orders", Layout: Partitioned, Partitions: 3, Functions: []string{dynPreOrders, dynPreOrders}},
			Options{Workload: "orders", Layout: Partitioned, Partitions: 3, Functions: []string{dynPreOrders}}, ""},
		{"workload", Options{Workload: "order"}, Options{}, `no workload "order": use one of orders, claims, jobs`},
		{"layout", Options{Workload: "orders", Layout: "heap"}, Options{}, `the workload "orders" has no layout "heap": use one of plain, unlogged, partitioned`},
		{"too many partitions", Options{Workload: "orders", Layout: Partitioned, Partitions: MaxPartitions + 1}, Options{}, "1025 partitions cannot be made: use a number from 1 to 1024"},
		{"negative partitions", Options{Workload: "orders", Layout: Partitioned, Partitions: -1}, Options{}, "-1 partitions cannot be made: use a number from 1 to 1024"},
		{"orders", Options{Workload: "orders", Orders: -1}, Options{}, "-1 orders cannot be seeded: use 0 or more"},
		{"function", Options{Workload: "orders", Functions: []string{"f"}}, Options{}, `the workload "orders" has no function "f"`},
		{"function's layout", Options{Workload: "orders", Functions: []string{dynPreOrders}}, Options{}, "the function dyn_pre_orders needs the layout partitioned, not plain"},
		{"long schema", Options{Workload: "orders", Schema: strings.Repeat("é", 32)}, Options{}, `the schema name "` + strings.Repeat("é", 32) + `" is longer than PostgreSQL's 63 bytes`},
		{"system schema", Options{Workload: "orders", Schema: "pg_x"}, Options{}, `the schema "pg_x" belongs to PostgreSQL: name another with --schema-name`},
		{"zero byte", Options{Workload: "orders", Schema: "a\x00"}, Options{}, `the schema name "a\x00" holds a zero byte`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.in.Normalize()
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Errorf("error %v, want %s", err, tt.err)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestParseMark(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, err string }{
		{"none", "", ""},
		{"somebody's comment", "the queue of the shop", ""},
		{"broken", markPrefix + "{", `the mark on table q in schema "s" cannot be read`},
		{"another version's", markPrefix + `{"format":99}`, `table q in schema "s" was made by another version of qbench (mark 99, this is 2)`},
	} {
		made, err := parseMark("s", "q", tt.text)
		if made != nil || (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%s: %+v, %v", tt.name, made, err)
		}
	}
}

// TestFilesReadAsSQL: without any values filled in, each file is still SQL
// with comments: its holes hold what they are a sample of.
func TestFilesReadAsSQL(t *testing.T) {
	t.Parallel()
	samples := map[string]string{"unlogged": "", "partitions": "256", "i": "0", "key": "t_order_q_0_pkey", "schemaName": "null", "payload": "", "doneColumn": "", "done": "null", "times": "waits", "priorities": "3", "entrypoints": "10", "rows": "20000", "timed": "false"}
	err := fs.WalkDir(files, "sql", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		for _, h := range hole.FindAllStringSubmatch(string(src), -1) {
			if want, ok := samples[h[1]]; h[1] != "schema" && (!ok || h[2] != want) || h[1] == "schema" && h[2] == "" {
				t.Errorf("%s: the sample of %s is %q", path, h[0], h[2])
			}
		}
		if strings.Contains(readSQL(strings.TrimPrefix(path, "sql/"), "s", samples), "/*") {
			t.Errorf("%s: a hole is left", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOrderRowsWhateverTheBuffer: the stream does not depend on how it is read.
func TestOrderRowsWhateverTheBuffer(t *testing.T) {
	t.Parallel()
	stream := func(n int64) *copyRows {
		var next int64
		return newCopyRows(7, 3, orders.row(Options{}), func() (Range, bool) {
			if next >= n {
				return Range{}, false
			}
			r := Range{next + 1, min(next+3, n)}
			next = r.Last
			return r, true
		}, func() time.Time { return copyEpoch.Add(time.Second) })
	}
	rapid.Check(t, func(t *rapid.T) {
		orders := rapid.Int64Range(0, 10).Draw(t, "orders")
		want, err := io.ReadAll(stream(orders))
		if err != nil {
			t.Fatal(err)
		}
		// signature, flags, extension; rows of 3 fields; trailer
		if n := int64(11 + 4 + 4 + orders*(2+4+8+4+16+4+8) + 2); int64(len(want)) != n {
			t.Fatalf("%d bytes, want %d", len(want), n)
		}
		size := rapid.IntRange(1, 70).Draw(t, "buffer")
		var got []byte
		r, buf := stream(orders), make([]byte, size)
		for {
			n, err := r.Read(buf)
			got = append(got, buf[:n]...)
			if err == io.EOF {
				break
			}
			if err != nil || n == 0 {
				t.Fatalf("%d bytes, %v", n, err)
			}
		}
		if string(got) != string(want) {
			t.Fatalf("read in pieces of %d: %x\nwant %x", size, got, want)
		}
	})
}

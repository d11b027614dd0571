package loop

import "testing"

func TestInboxRunsWhatWasPutBeforeItsEnd(t *testing.T) {
	t.Parallel()
	var b Inbox
	var got []int
	put := func(n int) bool { return b.Put(func() { got = append(got, n) }) }
	if !put(1) || !put(2) {
		t.Fatal("an open inbox takes nothing")
	}
	b.Run()
	put(3)
	b.Close()
	if put(4) {
		t.Error("a closed inbox takes more")
	}
	b.Run()
	if len(got) != 3 || got[0] != 1 || got[1] != 2 || got[2] != 3 {
		t.Errorf("ran %v", got)
	}
}

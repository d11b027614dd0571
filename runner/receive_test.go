package runner

import (
	"encoding/binary"
	"testing"
)

// A message of 128 MiB in small parts: copied once for each part, it would take
// half an hour.
func TestLargeMessageInSmallParts(t *testing.T) {
	t.Parallel()
	const length, part = 128 << 20, 2 << 10
	c := &conn{client: nil}
	chunk := make([]byte, part)
	head := binary.BigEndian.AppendUint32([]byte{'D'}, length-1)
	if err := c.receive(head[:3]); err != nil {
		t.Fatal(err)
	}
	if err := c.receive(head[3:]); err != nil {
		t.Fatal(err)
	}
	for got := len(head); got < length; got += part {
		if err := c.receive(chunk[:min(part, length-got)]); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.rest) != 0 || cap(c.rest) > keepBuffer {
		t.Errorf("%d bytes are left, in a buffer of %d", len(c.rest), cap(c.rest))
	}
	if err := c.receive(message('A')); err != nil || !c.notified {
		t.Errorf("the next message was not understood: %v", err)
	}
}

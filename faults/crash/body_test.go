package crash

import (
	"testing"

	"github.com/headrace/headrace/faults/history"
)

func TestBodyNamesItsMessage(t *testing.T) {
	for number := range uint64(500) {
		want := history.MessageID{Publisher: 7, Number: number}
		if topic, got, whole := decodeBody(encodeBody(3, want)); !whole || got != want || topic != 3 {
			t.Errorf("%d, %v, %v; want %v", topic, got, whole, want)
		}
	}
}

func TestBodyWithOneFlippedBitIsNotWhole(t *testing.T) {
	body := encodeBody(1, history.MessageID{Publisher: 1, Number: 2})
	for i := range body {
		body[i] ^= 0x10
		if _, _, whole := decodeBody(body); whole {
			t.Errorf("the flip in byte %d went unseen", i)
		}
		body[i] ^= 0x10
	}
}

func TestShortBodyIsNotWhole(t *testing.T) {
	for n := range bodyHeadBytes + bodyCRCBytes {
		if _, _, whole := decodeBody(make([]byte, n)); whole {
			t.Errorf("%d bytes were whole", n)
		}
	}
}

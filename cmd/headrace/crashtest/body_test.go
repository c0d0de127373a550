package crashtest

import "testing"

func TestBodyNamesItsMessage(t *testing.T) {
	for number := range uint32(50) {
		want := MessageID{7, number}
		if got, whole := decodeBody(encodeBody(want)); !whole || got != want {
			t.Errorf("%v, %v; want %v", got, whole, want)
		}
	}
}

func TestBodyWithOneFlippedBitIsNotWhole(t *testing.T) {
	body := encodeBody(MessageID{1, 2})
	for i := range body {
		body[i] ^= 0x10
		if _, whole := decodeBody(body); whole {
			t.Errorf("the flip in byte %d went unseen", i)
		}
		body[i] ^= 0x10
	}
}

func TestShortBodyIsNotWhole(t *testing.T) {
	for n := range bodyHeadBytes + bodyCRCBytes {
		if _, whole := decodeBody(make([]byte, n)); whole {
			t.Errorf("%d bytes were whole", n)
		}
	}
}

package starved

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/headrace/headrace/sdk/go"
)

// number names a message before a server has seen it, from 1. Its body follows from
// it and from its size.
type number uint64

// numberBytes is the size of the smallest body.
const numberBytes = 8

func (n number) body(size int) []byte {
	body := binary.BigEndian.AppendUint64(make([]byte, 0, size+numberBytes), uint64(n))
	noise := rand.NewPCG(uint64(n), 0)
	for len(body) < size {
		body = binary.BigEndian.AppendUint64(body, noise.Uint64())
	}
	return body[:size]
}

// numberOf reads a body, and says whether every byte is as it was published.
func numberOf(body []byte) (number, bool) {
	if len(body) < numberBytes {
		return 0, false
	}
	n := number(binary.BigEndian.Uint64(body))
	return n, bytes.Equal(body, n.body(len(body)))
}

// witness remembers what servers promised. It is safe for concurrent use.
type witness struct {
	t *testing.T

	mu   sync.Mutex
	last number
	// stored are the positions of acknowledged messages; refused are those that are
	// surely not stored; confirmed are those whose acks are durable.
	stored             map[number]headrace.Position
	refused, confirmed map[number]bool
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	return &witness{
		t: t, stored: map[number]headrace.Position{},
		refused: map[number]bool{}, confirmed: map[number]bool{},
	}
}

// next names a message.
func (w *witness) next() number {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	return w.last
}

// acknowledged notes the result of a publish.
func (w *witness) acknowledged(n number, p headrace.Position) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stored[n] = p
}

// notStored notes that a publish surely failed.
func (w *witness) notStored(n number) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refused[n] = true
}

// received notes a delivery that is about to be acked, and says which message it is.
func (w *witness) received(d *headrace.Delivery) number {
	n, whole := numberOf(d.Data)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !whole:
		w.t.Errorf("the message at %s is not what was published", d.Position())
	case w.confirmed[n]:
		w.t.Errorf("message %d came again after a confirmed ack", n)
	}
	return n
}

// ackConfirmed notes that an ack is durable.
func (w *witness) ackConfirmed(n number) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.confirmed[n] = true
}

// acknowledgements is how many messages are acknowledged.
func (w *witness) acknowledgements() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.stored)
}

// confirmations is how many acks are confirmed.
func (w *witness) confirmations() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.confirmed)
}

// compare compares all that is stored with what was promised.
func (w *witness) compare(found map[number]headrace.Position) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.stored) == 0 || len(w.confirmed) == 0 {
		w.t.Error("nothing was at stake")
	}
	w.t.Logf("%d acknowledged, %d refused, %d acks confirmed", len(w.stored), len(w.refused), len(w.confirmed))
	lost := 0
	for n, p := range w.stored {
		if at, ok := found[n]; !ok {
			lost++
		} else if at != p {
			w.t.Errorf("message %d stands at %s; the publisher was told %s", n, at, p)
		}
	}
	if lost > 0 {
		w.t.Errorf("%d of %d acknowledged messages are lost", lost, len(w.stored))
	}
	for n := range found {
		if w.refused[n] {
			w.t.Errorf("message %d was refused, and is stored", n)
		}
		if n > w.last {
			w.t.Errorf("message %d was never published", n)
		}
	}
}

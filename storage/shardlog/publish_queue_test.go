package shardlog

import (
	"errors"
	"testing"

	"github.com/headrace/headrace/storage"
)

// publishOf makes a publish of one message with a number of bytes.
func publishOf(bytes int) *storage.Publish {
	return &storage.Publish{Appends: []storage.Append{{Messages: make([]byte, bytes), Ends: []uint32{uint32(bytes)}}}}
}

// closedStop makes Put give up instead of waiting.
func closedStop() <-chan struct{} {
	stop := make(chan struct{})
	close(stop)
	return stop
}

func TestPublishesCompleteInOrder(t *testing.T) {
	q := newPublishQueue(newInbox())
	var put []*storage.Publish
	for range 40 {
		p := publishOf(1)
		put = append(put, p)
		if !q.Put(p, nil) {
			t.Fatal("refused")
		}
	}
	for range 3 {
		q.take()
	}
	if q.Done() != nil {
		t.Fatal("done before its batch is")
	}
	q.complete(2)
	for i := range 2 {
		if got := q.Done(); got != put[i] {
			t.Errorf("publish %d is not the next", i)
		}
	}
	if q.Done() != nil {
		t.Error("the third is still in its batch")
	}
}

func TestAQueueIsBoundedInPublishes(t *testing.T) {
	q := newPublishQueue(newInbox())
	for range maxQueuedPublishes {
		if !q.Put(publishOf(1), closedStop()) {
			t.Fatal("refused before the bound")
		}
	}
	if q.Put(publishOf(1), closedStop()) {
		t.Error("took one too many")
	}
	q.take()
	q.complete(1)
	if q.Put(publishOf(1), closedStop()) {
		t.Error("what is done counts until it is taken off")
	}
	q.Done()
	if !q.Put(publishOf(1), closedStop()) {
		t.Error("refused with room")
	}
}

func TestAQueueIsBoundedInBytes(t *testing.T) {
	q := newPublishQueue(newInbox())
	if !q.Put(publishOf(2*maxQueuedBytes), closedStop()) {
		t.Fatal("one larger publish is taken alone")
	}
	if q.Put(publishOf(1), closedStop()) {
		t.Error("took more than its bytes")
	}
}

func TestAClosedInboxFailsWhatWaitsBehindWhatIsInABatch(t *testing.T) {
	in := newInbox()
	q := newPublishQueue(in)
	for range 3 {
		q.Put(publishOf(1), nil)
	}
	q.take()
	in.close()
	q.failWaiting()
	if q.Done() != nil {
		t.Fatal("a failure overtook the batch")
	}
	q.complete(1)
	for i, want := range []error{nil, storage.ErrUnavailable, storage.ErrUnavailable} {
		if p := q.Done(); p == nil || !errors.Is(p.Err, want) {
			t.Errorf("publish %d: %+v", i, p)
		}
	}
	if q.Put(publishOf(1), nil) {
		t.Error("a closed store takes work")
	}
}

func TestAClosedQueueForgetsWhatIsDone(t *testing.T) {
	q := newPublishQueue(newInbox())
	for range 2 {
		q.Put(publishOf(1), nil)
		q.take()
	}
	q.Close()
	q.complete(2)
	if q.Done() != nil || q.head != q.tail || q.bytes != 0 {
		t.Error("publishes are kept for nobody")
	}
}

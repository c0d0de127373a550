package broker

import (
	"context"
	"errors"
	"io"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/storage"
)

// publishing is a publisher under test.
type publishing struct {
	*Publisher

	t    *testing.T
	room *room
}

func (r *room) openPublisher() *publishing {
	r.t.Helper()
	p, err := r.OpenPublisher("c1")
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(p.Close)
	return &publishing{Publisher: p, t: r.t, room: r}
}

// send hands a batch over.
func (p *publishing) send(b *PublishBatch) {
	p.t.Helper()
	if err := p.Publish(p.t.Context(), b); err != nil {
		p.t.Fatal(err)
	}
}

// next waits for the next output.
func (p *publishing) next() (PublisherOutput, error) {
	ctx, cancel := context.WithTimeout(p.t.Context(), waitLimit)
	defer cancel()
	return p.Next(ctx)
}

// results waits for n batches.
func (p *publishing) results(n int) []*PublishBatch {
	p.t.Helper()
	var all []*PublishBatch
	for len(all) < n {
		out, err := p.next()
		if err != nil {
			p.t.Fatalf("after %d of %d results: %v", len(all), n, err)
		}
		all = append(all, out.Completed...)
		for _, b := range out.Completed {
			p.ResultsWritten(b.Sent)
		}
	}
	return all
}

func TestResultsComeInOrderOfTheirBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		p := r.openPublisher()
		r.store.hold()
		refused := NewPublishBatch()
		refused.Err = ErrTopicNotFound
		empty := r.batch()
		sent := []*PublishBatch{r.batch("a", "b"), refused, r.batch("c"), empty}
		for _, b := range sent {
			p.send(b)
		}
		synctest.Wait()
		r.store.release()
		for i, b := range p.results(4) {
			if b != sent[i] {
				t.Errorf("result %d is of another batch", i)
			}
		}
		if sent[0].Err != nil || sent[0].Runs[0].Count != 2 || sent[2].Runs[0].Offset != 2 {
			t.Errorf("stored at %+v (%v) and %+v", sent[0].Runs, sent[0].Err, sent[2].Runs)
		}
		if !errors.Is(refused.Err, ErrTopicNotFound) || len(empty.Runs) != 0 {
			t.Errorf("refused with %v, empty stored at %v", refused.Err, empty.Runs)
		}
	})
}

func TestRefusedBatchAloneIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		p := r.openPublisher()
		b := NewPublishBatch()
		b.Err = ErrInvalidName
		sent := make(chan error, 1) // capacity: its one answer
		go func() { sent <- p.Publish(t.Context(), b) }()
		if got := p.results(1); got[0] != b || <-sent != nil {
			t.Error("another batch came back")
		}
	})
}

func TestOutcomesOfTheStoreAreTold(t *testing.T) {
	for storeErr, want := range map[error]error{
		storage.ErrNoSpace:  ErrDiskFull,
		storage.ErrTooLarge: ErrMessageTooLarge,
		storage.ErrNotFound: ErrTopicDeleted,
		storage.ErrDataLoss: ErrDataLoss,
	} {
		r := newRoom(t, 1, nil)
		r.store.set(func(f *fakeStore) { f.publishErr = storeErr })
		p := r.openPublisher()
		p.send(r.batch("a"))
		if got := p.results(1)[0].Err; !errors.Is(got, want) {
			t.Errorf("%v: told %v, want %v", storeErr, got, want)
		}
	}
}

// What is stored or not nobody knows; what follows it neither.
func TestUnknownOutcomeEndsThePublisher(t *testing.T) {
	for storeErr, want := range map[error]error{
		storage.ErrUnknown:     ErrUnknownOutcome,
		storage.ErrUnavailable: ErrStoreUnavailable,
		storage.ErrFenced:      ErrFenced,
	} {
		r := newRoom(t, 1, nil)
		p := r.openPublisher()
		p.send(r.batch("a"))
		p.results(1)
		r.store.set(func(f *fakeStore) { f.publishErr = storeErr })
		p.send(r.batch("b"))
		for range 2 {
			if _, err := p.next(); !errors.Is(err, want) {
				t.Errorf("%v: ended with %v, want %v", storeErr, err, want)
			}
		}
	}
}

func TestFullDiskRefusesBatchesAndRecovers(t *testing.T) {
	r := newRoom(t, 1, nil)
	p := r.openPublisher()
	r.store.set(func(f *fakeStore) { f.full = true })
	p.send(r.batch("a"))
	if got := p.results(1)[0].Err; !errors.Is(got, ErrDiskFull) {
		t.Errorf("told %v", got)
	}
	r.store.set(func(f *fakeStore) { f.full = false })
	p.send(r.batch("a"))
	if got := p.results(1)[0].Err; got != nil {
		t.Errorf("told %v", got)
	}
}

func TestFullDiskRefusesProducers(t *testing.T) {
	r := newRoom(t, 1, nil)
	r.store.set(func(f *fakeStore) { f.full = true })
	if _, err := r.OpenProducer(t.Context(), "", "loader"); !errors.Is(err, ErrDiskFull) {
		t.Errorf("opened: %v", err)
	}
	r.store.set(func(f *fakeStore) { f.full = false })
	p, err := r.OpenProducer(t.Context(), "", "loader")
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
}

func TestPublishBeyondTheWindowIsRefused(t *testing.T) {
	r := newRoom(t, 1, nil)
	p := r.openPublisher()
	r.store.hold()
	for i := range firstWindowMessages {
		p.send(r.batch(strconv.Itoa(i)))
	}
	if err := p.Publish(t.Context(), r.batch("x")); !errors.Is(err, ErrPublishWindowExceeded) {
		t.Errorf("message 1,001: %v", err)
	}
	r.store.release()
	p.results(firstWindowMessages)
	out, err := p.next()
	if err != nil || out.Window == nil || out.Window.Messages < 2*firstWindowMessages {
		t.Errorf("window %+v, %v after all results were written", out.Window, err)
	}
	p.send(r.batch("x"))
	p.results(1)
}

func TestHalfClosedPublisherEndsAfterItsResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		p := r.openPublisher()
		r.store.hold()
		p.send(r.batch("a"))
		p.CloseSend()
		go func() {
			synctest.Wait()
			r.store.release()
		}()
		p.results(1)
		if _, err := p.next(); !errors.Is(err, io.EOF) {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestDeletedTopicIsNoticed(t *testing.T) {
	r := newRoom(t, 1, nil)
	p := r.openPublisher()
	if _, err := p.Topic("orders"); err != nil {
		t.Fatal(err)
	}
	if err := r.DeleteSubscription(t.Context(), billingSub); err != nil {
		t.Fatal(err)
	}
	b := r.batch("a")
	if err := r.DeleteTopic(t.Context(), ordersTopic); err != nil {
		t.Fatal(err)
	}
	p.send(b)
	if got := p.results(1)[0].Err; !errors.Is(got, ErrTopicDeleted) {
		t.Errorf("a batch under way: %v", got)
	}
	if _, err := p.Topic("orders"); !errors.Is(err, ErrTopicDeleted) {
		t.Errorf("the cached topic: %v", err)
	}
	if _, err := p.Topic("orders"); !errors.Is(err, ErrTopicNotFound) {
		t.Errorf("looked up again: %v", err)
	}
	if _, err := r.CreateTopic(t.Context(), r.NewTopicConfig(ordersTopic)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Topic("orders"); err != nil {
		t.Errorf("made again: %v", err)
	}
}

func TestIdlePublisherHearsAHeartbeatAndMustSpeak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		p := r.openPublisher()
		begin := time.Now()
		for i := range 4 {
			out, err := p.next()
			if err != nil || out.Window == nil {
				t.Fatalf("heartbeat %d: %+v, %v", i, out, err)
			}
			if got, want := time.Since(begin), time.Duration(i+1)*HeartbeatInterval; got != want {
				t.Errorf("heartbeat %d after %v, want %v", i, got, want)
			}
			p.Heard()
		}
		var err error
		for err == nil {
			_, err = p.next()
		}
		if !errors.Is(err, ErrSessionSilent) {
			t.Errorf("ended with %v", err)
		}
		if got, want := time.Since(begin), 4*HeartbeatInterval+silentAfter; got != want {
			t.Errorf("taken for dead after %v, want %v", got, want)
		}
	})
}

// A stream that cannot write its results ends, as a session does.
func TestAPublisherMustReadItsResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		p := r.openPublisher()
		p.send(r.batch("a"))
		for range 2 {
			out, err := p.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(writeGrace - 1) //nolint:forbidigo // in a bubble
			for _, b := range out.Completed {
				p.ResultsWritten(b.Sent)
			}
			p.Heard()
		}
		if _, err := p.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		<-p.Stuck()
		if got := time.Since(begin); got != writeGrace {
			t.Errorf("stuck after %v", got)
		}
	})
}

// While the receive loop waits for room in the committer it cannot hear the client.
func TestPublisherThatIsNotReadIsNotSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		p := r.openPublisher()
		gate := make(chan struct{})
		r.store.gate = gate
		sent := make(chan error, 1) // capacity: its one answer
		go func() { sent <- p.Publish(t.Context(), r.batch("a")) }()
		time.AfterFunc(2*silentAfter, func() { close(gate) })
		begin := time.Now()
		p.results(1)
		if got := time.Since(begin); got != 2*silentAfter || <-sent != nil {
			t.Errorf("stored after %v", got)
		}
	})
}

func TestBlockedPublishEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		p := r.openPublisher()
		r.store.gate = make(chan struct{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.Publish(ctx, r.batch("a")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended with %v", err)
		}
		if topic, _ := r.PublishTopic(string(ordersTopic)); topic.topic.inFlight[0].Load() != 0 || p.line.open() {
			t.Error("the batch still counts as in flight")
		}
	})
}

func TestFailedStoreEndsPublishers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		idle, busy := r.openPublisher(), r.openPublisher()
		r.store.hold()
		busy.send(r.batch("a"))
		r.store.fail(storage.ErrUnknown)
		if _, err := idle.next(); !errors.Is(err, ErrStoreUnavailable) {
			t.Errorf("an idle publisher ended with %v", err)
		}
		if _, err := busy.next(); !errors.Is(err, ErrUnknownOutcome) {
			t.Errorf("one with an open batch ended with %v", err)
		}
		if err := idle.Publish(t.Context(), r.batch("b")); !errors.Is(err, ErrStoreUnavailable) {
			t.Errorf("published: %v", err)
		}
		if err := r.Publish(t.Context(), r.batch("b")); !errors.Is(err, ErrStoreUnavailable) {
			t.Errorf("published by a call: %v", err)
		}
		if _, err := r.OpenPublisher(""); !errors.Is(err, ErrStoreUnavailable) {
			t.Errorf("opened: %v", err)
		}
	})
}

func TestUnaryPublishEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		r.store.hold()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Publish(ctx, r.batch("a")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended with %v", err)
		}
		r.store.release()
		r.publish("b")
		if got := r.publishing.used.Load(); got != 0 {
			t.Errorf("%d bytes still count as open", got)
		}
	})
}

func TestClosedPublisherLeavesNoTrace(t *testing.T) {
	r := newRoom(t, 2, nil)
	p := r.openPublisher()
	r.store.hold()
	p.send(r.batch("a", "b"))
	p.Close()
	p.Close()
	if _, err := p.next(); !errors.Is(err, ErrSessionClosed) {
		t.Errorf("ended with %v", err)
	}
	if err := p.Publish(t.Context(), r.batch("c")); !errors.Is(err, ErrSessionClosed) {
		t.Errorf("published: %v", err)
	}
	topic, _ := r.PublishTopic(string(ordersTopic))
	for i := range topic.topic.inFlight {
		if n := topic.topic.inFlight[i].Load(); n != 0 {
			t.Errorf("%d bytes still count as in flight in partition %d", n, i)
		}
	}
	if n := r.publishing.used.Load(); n != 0 {
		t.Errorf("%d bytes still count as open", n)
	}
	r.store.release()
}

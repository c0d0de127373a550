package headrace_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// errCut is how a stream ends that a proxy cuts.
var errCut = status.Error(codes.Unavailable, "a proxy's")

// comesBack opens the publisher's next stream, expects its question and answers it.
func comesBack(t *testing.T, s *scripted.Server, first, next uint64, results ...*headracev1.PublishStreamResponse) *scripted.PublishStream {
	t.Helper()
	stream := openedPublish(t, s)
	q := stream.MustRecv(t).GetLookUp()
	if q.GetTopic() != "default/orders" || q.GetFirstSequence() != first {
		t.Fatalf("look-up %v, want from %d on", q, first)
	}
	for _, r := range results {
		stream.Send(t, r)
	}
	stream.Send(t, lookedUp(next))
	return stream
}

func lookedUp(next uint64) *headracev1.PublishStreamResponse {
	return &headracev1.PublishStreamResponse{Frame: &headracev1.PublishStreamResponse_LookedUp_{
		LookedUp: &headracev1.PublishStreamResponse_LookedUp{Topic: "default/orders", NextSequence: next},
	}}
}

func wantStored(t *testing.T, r *headrace.PublishResult, id headrace.MessageID) {
	t.Helper()
	if got, err := r.Get(t.Context()); err != nil || got != id {
		t.Errorf("result %q, %v, want %q", got, err, id)
	}
}

func TestAClientIsAProducerOfItsOwnUnlessToldOtherwise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted.Start(t)
		open := func(opts ...headrace.DialOption) string {
			publishAll(dial(t, s, append(opts, headrace.WithCloseTimeout(time.Second))...), 1)
			return scripted.OpenPublish(t, <-s.Publishes, nil).GetProducerId()
		}
		one, two := open(), open(headrace.WithProducer(""))
		if one == "" || two == "" || one == two {
			t.Errorf("producers %q and %q", one, two)
		}
		if none := open(headrace.WithoutProducer()); none != "" {
			t.Errorf("without a producer: %q", none)
		}
		if named := open(headrace.WithProducer("loader")); named != "loader" {
			t.Errorf("with a name: %q", named)
		}
	})
}

func TestAProducerAsksOnlyOfTopicsItSendsTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		r := c.Topic("returns").PublishAsync(t.Context(), message("m"))
		stream := openedPublish(t, s)
		stream.Send(t, scripted.Stored(scripted.NextBatch(t, stream), 0, 0))
		wantStored(t, r, "0-0")
		stream.End(errCut)
		synctest.Wait()
		r = publishAll(c, 1)[0]
		stream = openedPublish(t, s)
		batch := stream.MustRecv(t).GetPublishBatch()
		if batch.GetTopic() != "default/orders" {
			t.Errorf("first comes a batch of %q", batch.GetTopic())
		}
		stream.Send(t, scripted.Stored(batch, 0, 0))
		wantStored(t, r, "0-0")
		c.Topic("returns").PublishAsync(t.Context(), message("m"))
		if q := stream.MustRecv(t).GetLookUp(); q.GetTopic() != "default/returns" || q.GetFirstSequence() != 0 {
			t.Errorf("then comes the look-up %v", q)
		}
	})
}

func TestAProducerThatCannotBeStoredFailsWhatWaitsAndKeepsWhatIsInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithPublishBatch(1, 1<<20, time.Hour))
		full := scripted.Status(codes.ResourceExhausted, headracev1.ErrorReason_ERROR_REASON_DISK_FULL, nil)
		refused := publishAll(c, 1)[0]
		(<-s.Publishes).End(full)
		if _, err := refused.Get(t.Context()); !errors.Is(err, headrace.ErrDiskFull) {
			t.Errorf("what waited: %v", err)
		}
		doubted := publishAll(c, 1)[0]
		stream := openedPublish(t, s)
		batch := scripted.NextBatch(t, stream)
		stream.End(errCut)
		(<-s.Publishes).End(full)
		comesBack(t, s, 1, 2, scripted.Stored(batch, 0, 0))
		wantStored(t, doubted, "0-0")
	})
}

func TestAProducerSendsAgainWhatIsNotStored(t *testing.T) {
	for name, end := range map[string]error{
		"cut":             errCut,
		"unknown outcome": scripted.Status(codes.Unknown, headracev1.ErrorReason_ERROR_REASON_UNKNOWN_OUTCOME, nil),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := start(t, headrace.WithProducer(""), headrace.WithPublishBatch(2, 1<<20, time.Hour))
				first := publishAll(c, 2)
				stream := openedPublish(t, s)
				stored := scripted.NextBatch(t, stream)
				second := publishAll(c, 2)
				lost := scripted.NextBatch(t, stream)
				third := publishAll(c, 2)
				stream.End(end)
				stream = comesBack(t, s, 1, 3, scripted.Stored(stored, 0, 10))
				wantStored(t, first[0], "0-10")
				again := scripted.NextBatch(t, stream)
				if again.GetFirstSequence() != 3 || string(again.GetMessages()[1].GetData()) != string(lost.GetMessages()[1].GetData()) {
					t.Errorf("sent again: %v, lost: %v", again, lost)
				}
				stream.Send(t, scripted.Stored(again, 0, 12))
				wantStored(t, second[1], "0-13")
				next := scripted.NextBatch(t, stream)
				if next.GetFirstSequence() != 5 {
					t.Errorf("the next batch begins at %d", next.GetFirstSequence())
				}
				stream.Send(t, scripted.Stored(next, 0, 14))
				wantStored(t, third[0], "0-14")
			})
		})
	}
}

// TestAProducerKeepsItsOrderWhenStreamsBreakAgain: when the second stream breaks the first
// batch is under way once more, and the other one still waits to be.
func TestAProducerKeepsItsOrderWhenStreamsBreakAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const window = 1_000 // What goes out on a stream that has told of none.
		s, c := start(t, headrace.WithPublishBatch(window, 1<<20, time.Hour))
		publishAll(c, window+1)
		go func() { _ = c.Flush(context.Background()) }()
		stream := openedPublish(t, s)
		stream.Send(t, scripted.PublishWindow(2*window, 1<<30))
		scripted.NextBatch(t, stream)
		scripted.NextBatch(t, stream)
		stream.End(errCut)
		stream = comesBack(t, s, 1, 1)
		scripted.NextBatch(t, stream)
		stream.End(errCut)
		stream = comesBack(t, s, 1, 1)
		stream.Send(t, scripted.PublishWindow(2*window, 1<<30))
		for _, want := range []int{window, 1} {
			b := scripted.NextBatch(t, stream)
			if len(b.GetMessages()) != want {
				t.Errorf("%d messages come as sequence %d, where it is the batch of %d", len(b.GetMessages()), b.GetFirstSequence(), want)
			}
			stream.Send(t, scripted.Stored(b, 0, b.GetFirstSequence()-1))
		}
	})
}

func TestAProducerThatIsStaleNeverComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithProducer("loader"), headrace.WithPublishBatch(1, 1<<20, time.Hour))
		sent := publishAll(c, 1)[0]
		stream := comesBack(t, s, 0, 1)
		scripted.NextBatch(t, stream)
		waiting := publishAll(c, 1)[0]
		scripted.NextBatch(t, stream)
		stream.End(scripted.Status(codes.FailedPrecondition, headracev1.ErrorReason_ERROR_REASON_STALE_PRODUCER, nil))
		for _, r := range []*headrace.PublishResult{sent, waiting} {
			if _, err := r.Get(t.Context()); !errors.Is(err, headrace.ErrUnknownOutcome) {
				t.Errorf("what was sent: %v", err)
			}
		}
		synctest.Wait()
		if _, err := c.Topic("orders").Publish(t.Context(), message("late")); !errors.Is(err, headrace.ErrStaleProducer) {
			t.Errorf("publish after it: %v", err)
		}
	})
}

func TestALastingProducerGoesOnWhereItStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithProducer("loader"))
		r := publishAll(c, 1)[0]
		stream := comesBack(t, s, 0, 501)
		batch := scripted.NextBatch(t, stream)
		if batch.GetFirstSequence() != 501 {
			t.Errorf("the first batch begins at %d", batch.GetFirstSequence())
		}
		stream.Send(t, scripted.Stored(batch, 0, 7))
		wantStored(t, r, "0-7")
	})
}

func TestABatchThatFailsAsAWholeUsesUpNoSequence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithProducer(""), headrace.WithPublishBatch(1, 1<<20, time.Hour))
		refused := publishAll(c, 1)[0]
		stream := openedPublish(t, s)
		batch := scripted.NextBatch(t, stream)
		stream.Send(t, scripted.Result(&headracev1.PublishStreamResponse_PublishResult{
			Topic: batch.GetTopic(), ThroughSequence: 1, Failures: []*headracev1.PublishFailure{
				{FirstSequence: 1, Count: 1, Reason: headracev1.ErrorReason_ERROR_REASON_DISK_FULL},
			},
		}))
		if _, err := refused.Get(t.Context()); !errors.Is(err, headrace.ErrDiskFull) {
			t.Errorf("refused: %v", err)
		}
		r := publishAll(c, 1)[0]
		batch = scripted.NextBatch(t, stream)
		if batch.GetFirstSequence() != 1 {
			t.Errorf("the next batch begins at %d", batch.GetFirstSequence())
		}
		stream.Send(t, scripted.Stored(batch, 0, 0))
		wantStored(t, r, "0-0")
	})
}

func TestAFailureBehindOneWayMessagesMayBeTheirs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithPublishBatch(1, 1<<20, time.Hour))
		if err := c.Topic("orders").PublishOneWay(t.Context(), message("lost")); err != nil {
			t.Fatal(err)
		}
		stream := openedPublish(t, s)
		scripted.NextBatch(t, stream) // The disk is full: nobody says so.
		results := publishAll(c, 3)
		refused := []*headracev1.PublishStreamRequest_PublishBatch{
			scripted.NextBatch(t, stream), scripted.NextBatch(t, stream), scripted.NextBatch(t, stream),
		}
		for i := range refused {
			stream.Send(t, scripted.Result(&headracev1.PublishStreamResponse_PublishResult{
				Topic: "default/orders", ThroughSequence: refused[i].GetFirstSequence(), Failures: []*headracev1.PublishFailure{
					{FirstSequence: refused[i].GetFirstSequence(), Count: 1, Reason: headracev1.ErrorReason_ERROR_REASON_DISK_FULL},
				},
			}))
		}
		if q := stream.MustRecv(t).GetLookUp(); q.GetTopic() != "default/orders" || q.GetFirstSequence() != 0 {
			t.Errorf("look-up %v", q)
		}
		stream.Send(t, lookedUp(1))
		for i, r := range results {
			again := scripted.NextBatch(t, stream)
			if again.GetFirstSequence() != uint64(i+1) || string(again.GetMessages()[0].GetData()) != string(refused[i].GetMessages()[0].GetData()) {
				t.Errorf("batch %d again: %v, first %v", i, again, refused[i])
			}
			stream.Send(t, scripted.Stored(again, 0, uint64(i)))
			wantStored(t, r, headrace.MessageID("0-"+strconv.Itoa(i)))
		}
	})
}

func TestAServerThatForgotTheProducerClaimsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithProducer(""), headrace.WithPublishBatch(1, 1<<20, time.Hour))
		r := publishAll(c, 1)[0]
		stream := openedPublish(t, s)
		stream.Send(t, scripted.Stored(scripted.NextBatch(t, stream), 0, 0))
		wantStored(t, r, "0-0")
		doubted := publishAll(c, 1)[0]
		scripted.NextBatch(t, stream)
		stream.End(errCut)
		stream = comesBack(t, s, 2, 1)
		if _, err := doubted.Get(t.Context()); !errors.Is(err, headrace.ErrOutcomeForgotten) {
			t.Errorf("in doubt: %v", err)
		}
		r = publishAll(c, 1)[0]
		batch := scripted.NextBatch(t, stream)
		if batch.GetFirstSequence() != 1 {
			t.Errorf("it goes on at %d", batch.GetFirstSequence())
		}
		stream.Send(t, scripted.Stored(batch, 0, 5))
		wantStored(t, r, "0-5")
	})
}

package headrace_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// running is a Receive that runs.
type running struct {
	stop   context.CancelFunc
	result chan error // Capacity 1: what Receive returns.
}

// receive runs Receive; it is stopped at the end of the test.
func receive(t *testing.T, c *headrace.Client, handler headrace.Handler, opts ...headrace.ReceiveOption) *running {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r := &running{stop: stop, result: make(chan error, 1)}
	go func() { r.result <- c.Subscription("billing").Receive(ctx, handler, opts...) }()
	t.Cleanup(stop)
	return r
}

// openedSubscribe takes the next subscribe stream and answers its Open.
func openedSubscribe(t *testing.T, s *scripted.Server) *scripted.SubscribeStream {
	t.Helper()
	stream := <-s.Subscribes
	scripted.OpenSubscribe(t, stream, &headracev1.SessionLimits{Lease: durationpb.New(30 * time.Second)})
	return stream
}

func texts(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = strconv.Itoa(i)
	}
	return all
}

func ack(context.Context, *headrace.Delivery) error { return nil }

func wantSettle(t *testing.T, got *headracev1.SubscribeRequest_Settle, number uint64, verdict headracev1.Verdict, pairs ...uint64) {
	t.Helper()
	want := &headracev1.SubscribeRequest_Settle{Number: number, Verdict: verdict, Ranges: scripted.Ranges(pairs...)}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("settle (-want +got):\n%s", diff)
	}
}

func TestReceiveGrantsItsWindowWithOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithClientID("me"))
		receive(t, c, ack, headrace.WithWindow(50, 1<<20), headrace.WithLease(5*time.Second),
			headrace.WithLabels(map[string]string{"zone": "a"}), headrace.WithMaxFrameBytes(8<<20))
		open := scripted.OpenSubscribe(t, <-s.Subscribes, nil)
		if open.GetSubscription() != "default/billing" || open.GetClientId() != "me" ||
			open.GetWindow().GetMessages() != 50 || open.GetWindow().GetBytes() != 1<<20 ||
			open.GetLease().AsDuration() != 5*time.Second || open.GetLabels()["zone"] != "a" ||
			open.GetMaxFrameBytes() != 8<<20 || open.GetTakeover() ||
			open.GetReplenish() != headracev1.Replenish_REPLENISH_UNSPECIFIED {
			t.Errorf("open %v", open)
		}
	})
}

func TestTheDefaultWindowIs1000MessagesAnd64MiB(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		receive(t, c, ack)
		open := scripted.OpenSubscribe(t, <-s.Subscribes, nil)
		if open.GetWindow().GetMessages() != 1_000 || open.GetWindow().GetBytes() != 64<<20 || open.GetClientId() == "" {
			t.Errorf("open %v", open)
		}
	})
}

func TestADeliverySaysAllThatTheServerSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		got := make(chan *headrace.Delivery, 2)
		receive(t, c, func(_ context.Context, d *headrace.Delivery) error { got <- d; return nil })
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.BatchFrame(&headracev1.SubscribeResponse_Batch{
			FirstSequence: 1,
			Runs:          []*headracev1.PositionRun{{Partition: 2, FirstOffset: 10, Count: 1}, {Partition: 3, FirstOffset: 7, Count: 1}},
			Attempts:      []*headracev1.SubscribeResponse_AttemptRun{{FirstSequence: 2, Count: 1, Attempt: 4}},
			Messages: []*headracev1.Message{
				{Data: []byte("one"), PublishTime: timestamppb.New(time.Unix(5, 6))},
				{Attributes: map[string]string{"a": "b"}, OrderingKey: "k", ContentType: "c", MessageId: "moved"},
			},
		}))
		one, two := <-got, <-got
		if string(one.Data) != "one" || one.ID() != "2-10" || one.Position() != (headrace.Position{Partition: 2, Offset: 10}) ||
			!one.PublishTime().Equal(time.Unix(5, 6)) || one.Attempt() != 1 || one.Sequence() != 1 {
			t.Errorf("the first delivery: %+v", one)
		}
		if two.Attributes["a"] != "b" || two.OrderingKey != "k" || two.ContentType != "c" || two.ID() != "moved" ||
			two.Position() != (headrace.Position{Partition: 3, Offset: 7}) || two.Attempt() != 4 || two.Sequence() != 2 {
			t.Errorf("the second delivery: %+v", two)
		}
	})
}

func TestConsecutiveAcksBecomeOneRangeAfterTenMilliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		receive(t, c, ack)
		stream := openedSubscribe(t, s)
		began := time.Now()
		stream.Send(t, scripted.Batch(1, 0, texts(100)...))
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 100)
		if waited := time.Since(began); waited != 10*time.Millisecond {
			t.Errorf("settled after %v", waited)
		}
		stream.Send(t, scripted.Batch(101, 100, texts(2)...))
		wantSettle(t, scripted.NextSettle(t, stream), 2, headracev1.Verdict_VERDICT_ACK, 101, 102)
	})
}

func TestSettlesGoAtOnceWhenThereAreEnough(t *testing.T) {
	for name, c := range map[string]struct {
		option headrace.ReceiveOption
		batch  []string
	}{
		"1,000":                    {headrace.WithWindow(10_000, 1<<20), texts(1_000)},
		"half a window":            {headrace.WithWindow(10, 1<<20), texts(5)},
		"half a window's bytes":    {headrace.WithWindow(1_000, 2*4*5), []string{"1", "2", "3", "4"}}, // 5 bytes each, framed.
		"a window of one message":  {headrace.WithWindow(1, 1<<20), texts(1)},
		"a window of hardly bytes": {headrace.WithWindow(1_000, 1), texts(1)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, client := start(t)
				receive(t, client, ack, c.option)
				stream := openedSubscribe(t, s)
				began := time.Now()
				stream.Send(t, scripted.Batch(1, 0, c.batch...))
				wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, uint64(len(c.batch)))
				if waited := time.Since(began); waited != 0 {
					t.Errorf("settled after %v", waited)
				}
			})
		})
	}
}

func TestVerdictsFollowWhatTheHandlerReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		failed := errors.New("failed")
		receive(t, c, func(_ context.Context, d *headrace.Delivery) error {
			switch string(d.Data) {
			case "retry":
				return failed
			case "later":
				return fmt.Errorf("wrapped: %w", headrace.RetryIn(time.Minute, failed))
			case "release":
				return fmt.Errorf("wrapped: %w", headrace.ErrRelease)
			case "itself":
				d.Release()
				return failed
			}
			return nil
		})
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, "ack", "retry", "later", "release", "itself", "retry", "ack"))
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 1, 7, 7)
		retried := scripted.NextSettle(t, stream)
		retried.Reason = ""
		wantSettle(t, retried, 2, headracev1.Verdict_VERDICT_RETRY, 2, 2, 6, 6)
		later := scripted.NextSettle(t, stream)
		if later.GetDelay().AsDuration() != time.Minute {
			t.Errorf("the delayed retry: %v", later)
		}
		later.Delay, later.Reason = nil, ""
		wantSettle(t, later, 3, headracev1.Verdict_VERDICT_RETRY, 3, 3)
		wantSettle(t, scripted.NextSettle(t, stream), 4, headracev1.Verdict_VERDICT_RELEASE, 4, 5)
	})
}

// A delay that the server does not take would end the stream.
func TestARetryIsDelayedByWhatTheServerTakes(t *testing.T) {
	for delay, want := range map[time.Duration]time.Duration{
		-time.Second: 0, time.Minute: time.Minute, 12 * time.Hour: 12 * time.Hour, 13 * time.Hour: 12 * time.Hour,
	} {
		synctest.Test(t, func(t *testing.T) {
			s, c := start(t)
			receive(t, c, func(context.Context, *headrace.Delivery) error { return headrace.RetryIn(delay, nil) })
			stream := openedSubscribe(t, s)
			stream.Send(t, scripted.Batch(1, 0, "a"))
			if got := scripted.NextSettle(t, stream).GetDelay().AsDuration(); got != want {
				t.Errorf("of a delay of %v the server is told %v", delay, got)
			}
		})
	}
}

func TestSettlesOutOfOrderMergeIntoRanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		gates := make(chan *headrace.Delivery, 8)
		receive(t, c, func(_ context.Context, d *headrace.Delivery) error {
			gates <- d
			<-d.Context().Done() // Settled by the test.
			return nil
		}, headrace.WithConcurrency(8))
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, texts(8)...))
		held := make(map[uint64]*headrace.Delivery)
		for range 8 {
			d := <-gates
			held[d.Sequence()] = d
		}
		for _, sequence := range []uint64{8, 2, 4, 1, 3, 6} {
			held[sequence].Ack()
		}
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 4, 6, 6, 8, 8)
		stream.End(nil)
	})
}

func TestHandlersRunOneAtATimeUnlessToldOtherwise(t *testing.T) {
	for concurrency := range 4 {
		want := max(1, concurrency)
		t.Run(strconv.Itoa(concurrency), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := start(t)
				entered := make(chan string, 10)
				leave := make(chan struct{})
				receive(t, c, func(_ context.Context, d *headrace.Delivery) error {
					entered <- string(d.Data)
					<-leave
					return nil
				}, headrace.WithConcurrency(concurrency))
				stream := openedSubscribe(t, s)
				stream.Send(t, scripted.Batch(1, 0, texts(10)...))
				synctest.Wait()
				if n := len(entered); n != want {
					t.Errorf("%d handlers run at once", n)
				}
				close(leave)
				synctest.Wait()
				if n := len(entered); n != 10 {
					t.Errorf("%d handlers ran", n)
				}
			})
		})
	}
}

func TestUnconfirmedSettlesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		receive(t, c, ack, headrace.WithWindow(1, 1<<20)) // A settle for each delivery.
		stream := <-s.Subscribes
		scripted.OpenSubscribe(t, stream, &headracev1.SessionLimits{MaxUnconfirmedSettles: 3})
		for i := range uint64(5) {
			stream.Send(t, scripted.Batch(i+1, i, "m"))
			synctest.Wait()
		}
		frames := framesOf(stream)
		synctest.Wait()
		if n := len(frames); n != 3 {
			t.Fatalf("%d settles were sent", n)
		}
		for number := uint64(1); number <= 3; number++ {
			wantSettle(t, (<-frames).GetSettle(), number, headracev1.Verdict_VERDICT_ACK, number, number)
		}
		stream.Send(t, scripted.Confirm(2))
		wantSettle(t, (<-frames).GetSettle(), 4, headracev1.Verdict_VERDICT_ACK, 4, 5)
	})
}

// framesOf reads a stream's frames into a channel, without heartbeats, so that a
// test can see that there is none.
func framesOf(stream *scripted.SubscribeStream) chan *headracev1.SubscribeRequest {
	frames := make(chan *headracev1.SubscribeRequest, 100)
	go func() {
		defer close(frames)
		for {
			f, err := stream.Recv()
			if err != nil {
				return
			}
			if f.GetHeartbeat() == nil {
				frames <- f
			}
		}
	}()
	return frames
}

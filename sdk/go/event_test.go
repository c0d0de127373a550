package headrace_test

import (
	"errors"
	"testing"
	"testing/synctest"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestEventsTellTheStateOfASession(t *testing.T) {
	events := make(chan headrace.Event, 100)
	synctest.Test(t, func(t *testing.T) {
		s := scripted.Start(t)
		c := dial(t, s, headrace.WithEvents(func(e headrace.Event) { events <- e }))
		h := newHolder()
		r := receive(t, c, h.handle)
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, "a", "b", "c"))
		<-h.begun
		stream.Send(t, scripted.Flow(headracev1.BlockedBy_BLOCKED_BY_NO_CREDIT_BYTES, headracev1.BlockedBy_BLOCKED_BY_NO_MESSAGES))
		stream.Send(t, scripted.Flow(headracev1.BlockedBy_BLOCKED_BY_NO_CREDIT_BYTES, headracev1.BlockedBy_BLOCKED_BY_NO_MESSAGES))
		stream.Send(t, scripted.Flow())
		stream.Send(t, scripted.Revoked(1, 2, headracev1.RevokeReason_REVOKE_REASON_LEASE_EXPIRED))
		(<-h.begun).Ack() // The third.
		scripted.NextSettle(t, stream)
		stream.Send(t, scripted.Confirm(0, scripted.Stale(1, 3, 3)))
		stream.Send(t, scripted.Confirm(1))
		stream.Send(t, scripted.Confirm(1, scripted.Stale(1, 3, 3))) // Told again.
		synctest.Wait()
		stream.End(status.Error(codes.Unavailable, "cut"))
		again := openedSubscribe(t, s)
		again.Send(t, scripted.GoAway(headracev1.GoAwayReason_GO_AWAY_REASON_STREAM))
		scripted.WaitHalfClose(t, again)
		again.End(nil)
		third := openedSubscribe(t, s)
		synctest.Wait()
		r.stop()
		scripted.NextDrain(t, third)
		drained(t, third)
		r.ended(t)
	})
	close(events)
	want := []headrace.Event{
		{Kind: headrace.SessionOpened},
		{Kind: headrace.FlowChanged, Detail: "NO_CREDIT_BYTES, NO_MESSAGES"},
		{Kind: headrace.FlowChanged},
		{Kind: headrace.DeliveriesLost, Count: 2, Detail: "LEASE_EXPIRED"},
		{Kind: headrace.SettlesDropped, Count: 1},
		{Kind: headrace.SettlesFailed, Count: 1},
		{Kind: headrace.SessionBroken, Err: errors.New("cut")},
		{Kind: headrace.SessionOpened},
		{Kind: headrace.GoAwayReceived, Detail: "STREAM"},
		{Kind: headrace.SessionOpened},
		{Kind: headrace.SessionDrained},
	}
	i := 0
	for e := range events {
		if i >= len(want) {
			t.Errorf("one event too many: %v %+v", e.Kind, e)
			continue
		}
		w := want[i]
		if e.Kind != w.Kind || e.Detail != w.Detail || e.Count != w.Count || (e.Err != nil) != (w.Err != nil) ||
			(e.Wait > 0) != (w.Kind == headrace.SessionBroken) || e.Subscription != "default/billing" {
			t.Errorf("event %d is %v %+v, want %v", i, e.Kind, e, w.Kind)
		}
		i++
	}
	if i < len(want) {
		t.Errorf("%d events, want %d", i, len(want))
	}
}

func TestEventKindsHaveNames(t *testing.T) {
	seen := make(map[string]bool)
	for k := headrace.PublishOpened; k <= headrace.FlowChanged; k++ {
		if name := k.String(); name == "" || seen[name] {
			t.Errorf("kind %d is called %q", k, name)
		} else {
			seen[name] = true
		}
	}
	if headrace.EventKind(99).String() != "unknown event" || headrace.EventKind(0).String() != "unknown event" {
		t.Error("an unknown kind has a name")
	}
}

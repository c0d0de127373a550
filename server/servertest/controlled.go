package servertest

import (
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server"
)

// Controlled is a server whose clock a test moves, and whose calls it has fail. A method
// is named as in "PublisherService/Publish"; "SubscriberService" means all of a service,
// and "" all there are. An error of the control ends the test.
//
// It is the same control that `headrace serve --testing` has, for tests in any language.
type Controlled struct {
	*Server

	control headracev1.TestControlServiceClient
}

// StartControlled starts a server as Start does, with clocks that Advance moves: those of
// o's Store and Broker, and its Server.TestControl, are replaced.
func StartControlled(tb testing.TB, o Options) *Controlled {
	tb.Helper()
	var ahead atomic.Int64
	clock := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	o.Store.Clock, o.Broker.Clock = clock, clock
	o.Server.TestControl = &server.TestControl{AdvanceWall: func(d time.Duration) { ahead.Add(int64(d)) }}
	s := Start(tb, o)
	return &Controlled{s, headracev1.NewTestControlServiceClient(s.Conn)}
}

// Advance moves the server's clock forward, by at most 30 days: leases, retries,
// heartbeats and retention see it when it returns. Sessions with a stream count as heard.
func (c *Controlled) Advance(by time.Duration) {
	c.t.Helper()
	_, err := c.control.AdvanceClock(c.t.Context(), &headracev1.AdvanceClockRequest{By: durationpb.New(by)})
	c.must("advance the clock", err)
}

// Refuse has the next calls of a method, so many times, end with a reason of the contract
// and its status; 0 times means all until ClearFaults.
func (c *Controlled) Refuse(method string, times uint32, reason headracev1.ErrorReason) {
	c.t.Helper()
	_, err := c.control.InjectFault(c.t.Context(), &headracev1.InjectFaultRequest{
		Method: method, Times: times,
		Fault: &headracev1.InjectFaultRequest_Refusal_{Refusal: &headracev1.InjectFaultRequest_Refusal{Reason: reason}},
	})
	c.must("refuse "+method, err)
}

// Delay has calls of a method be late, by at most an hour, until ClearFaults. The frames
// of streams are not: see DelayFrames.
func (c *Controlled) Delay(method string, by time.Duration) {
	c.t.Helper()
	c.delay(method, by, false)
}

// DelayFrames has each frame be late that the server sends on streams of a method, by at
// most an hour, until ClearFaults.
func (c *Controlled) DelayFrames(method string, by time.Duration) {
	c.t.Helper()
	c.delay(method, by, true)
}

func (c *Controlled) delay(method string, by time.Duration, frames bool) {
	c.t.Helper()
	_, err := c.control.InjectFault(c.t.Context(), &headracev1.InjectFaultRequest{
		Method: method,
		Fault: &headracev1.InjectFaultRequest_Delay_{
			Delay: &headracev1.InjectFaultRequest_Delay{By: durationpb.New(by), EachFrame: frames},
		},
	})
	c.must("delay "+method, err)
}

// DropStreams breaks the open streams of a method, as a lost connection does, and says how
// many there were.
func (c *Controlled) DropStreams(method string) int {
	c.t.Helper()
	r, err := c.control.DropStreams(c.t.Context(), &headracev1.DropStreamsRequest{Method: method})
	c.must("drop streams", err)
	return int(r.GetStreams())
}

// ClearFaults takes every refusal and delay back.
func (c *Controlled) ClearFaults() {
	c.t.Helper()
	_, err := c.control.ClearFaults(c.t.Context(), &headracev1.ClearFaultsRequest{})
	c.must("clear faults", err)
}

func (c *Controlled) must(what string, err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("%s: %v", what, err)
	}
}

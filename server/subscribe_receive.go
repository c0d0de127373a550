package server

import (
	"errors"
	"io"
	"slices"

	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/broker/delivery"
)

// The window of an ON_SETTLE session that names none.
const (
	defaultWindowMessages = 1000
	defaultWindowBytes    = 64 << 20
)

// subscribeReceiver is the receive loop of a Subscribe stream. It never waits for
// the send loop.
type subscribeReceiver struct {
	stream  subscribeStream
	session *broker.Session
	// manual sessions get Grants, others Windows.
	manual bool
	// tellsStarted: the client announced that it sends Started.
	tellsStarted bool
}

// run reads frames until the client half-closes or the stream breaks. Each frame
// counts as read when the session's method is called.
func (r *subscribeReceiver) run() error {
	for {
		frame, err := receiveSubscribe(r.stream)
		if errors.Is(err, io.EOF) {
			r.session.Close(broker.CloseClean)
			return nil
		}
		if err == nil {
			err = r.frame(frame)
		}
		if err != nil {
			return err
		}
	}
}

// frame does what a frame asks for. What it returns ends the stream.
func (r *subscribeReceiver) frame(f *headracev1.SubscribeRequest) error {
	if err := checkServed(f); err != nil {
		return err
	}
	switch frame := f.GetFrame().(type) {
	case *headracev1.SubscribeRequest_Open_:
		return frameOrder("Open comes once")
	case *headracev1.SubscribeRequest_Window_:
		return r.window(frame.Window)
	case *headracev1.SubscribeRequest_Grant_:
		return r.grant(frame.Grant)
	case *headracev1.SubscribeRequest_Started_:
		return r.started(frame.Started)
	case *headracev1.SubscribeRequest_Settle_:
		return r.settle(frame.Settle)
	case *headracev1.SubscribeRequest_Extend_:
		return r.extend(frame.Extend)
	case *headracev1.SubscribeRequest_Drain_:
		return r.drain(frame.Drain)
	case *headracev1.SubscribeRequest_Heartbeat:
		return r.session.Heartbeat()
	}
	return errEmptyFrame
}

// errEmptyFrame is returned when a frame holds nothing that the contract knows.
var errEmptyFrame = &refusal{reason: reasonMalformedFrame, field: "frame", text: "the frame is empty"}

func (r *subscribeReceiver) window(w *headracev1.SubscribeRequest_Window) error {
	if r.manual {
		return frameOrder("Window is for REPLENISH_ON_SETTLE sessions")
	}
	return r.session.Window(windowOf(w))
}

func (r *subscribeReceiver) grant(g *headracev1.SubscribeRequest_Grant) error {
	if !r.manual {
		return frameOrder("Grant is for REPLENISH_MANUAL sessions")
	}
	return r.session.Grant(g.GetThroughSequence(), g.GetThroughBytes())
}

func (r *subscribeReceiver) started(s *headracev1.SubscribeRequest_Started) error {
	if !r.tellsStarted {
		return frameOrder("Started is for sessions that announced FEATURE_STARTED")
	}
	ranges, err := sequenceRanges(s.GetRanges())
	if err != nil {
		return err
	}
	return r.session.Started(ranges)
}

func (r *subscribeReceiver) settle(s *headracev1.SubscribeRequest_Settle) error {
	ranges, err := sequenceRanges(s.GetRanges())
	if err != nil {
		return err
	}
	settle, err := settleOf(s)
	if err != nil {
		return err
	}
	if s.GetNumber() == 0 {
		return invalidField("number", "at least 1")
	}
	settle.Number, settle.Ranges = s.GetNumber(), ranges
	return r.session.Settle(settle)
}

// verdictRequest is what settles over a stream, and by tokens, say of a verdict.
type verdictRequest interface {
	GetVerdict() headracev1.Verdict
	GetDelay() *durationpb.Duration
	GetCode() string
	GetReason() string
}

// settleOf reads the verdict of a settle, and what goes with it.
func settleOf(s verdictRequest) (broker.Settle, error) {
	verdict, ok := servedVerdicts[s.GetVerdict()]
	if !ok {
		return broker.Settle{}, invalidField("verdict", "ACK, RETRY, REJECT or RELEASE")
	}
	if s.GetDelay() != nil && verdict != broker.Retry {
		return broker.Settle{}, invalidField("delay", "with VERDICT_RETRY only")
	}
	const noDelay = -1
	delay, err := duration("delay", s.GetDelay(), 0, maxDelay, noDelay)
	if err != nil {
		return broker.Settle{}, err
	}
	return broker.Settle{Verdict: verdict, Delay: delay, Code: s.GetCode(), Reason: s.GetReason()}, checkCause(s, verdict)
}

// checkCause checks what a settle says of a failure.
func checkCause(s verdictRequest, verdict broker.Verdict) error {
	fails := verdict == broker.Retry || verdict == broker.Reject
	switch {
	case s.GetCode() != "" && !fails:
		return invalidField("code", "with VERDICT_RETRY or VERDICT_REJECT only")
	case s.GetReason() != "" && !fails:
		return invalidField("reason", "with VERDICT_RETRY or VERDICT_REJECT only")
	case len(s.GetCode()) > maxCodeBytes:
		return invalidField("code", "at most 255 bytes")
	case len(s.GetReason()) > maxReasonBytes:
		return invalidField("reason", "at most 1,024 bytes")
	}
	return nil
}

// Bounds of what a settle says of a failure.
const (
	maxCodeBytes   = 255
	maxReasonBytes = 1024
)

// servedVerdicts are the verdicts that a settle may carry.
var servedVerdicts = map[headracev1.Verdict]broker.Verdict{
	headracev1.Verdict_VERDICT_ACK:     broker.Ack,
	headracev1.Verdict_VERDICT_RETRY:   broker.Retry,
	headracev1.Verdict_VERDICT_RELEASE: broker.Release,
	headracev1.Verdict_VERDICT_REJECT:  broker.Reject,
}

func (r *subscribeReceiver) extend(e *headracev1.SubscribeRequest_Extend) error {
	ranges, err := sequenceRanges(e.GetRanges())
	if err != nil {
		return err
	}
	const sessionsLease = 0
	d, err := duration("duration", e.GetDuration(), minLease, maxLease, sessionsLease)
	if err != nil {
		return err
	}
	if e.GetNumber() == 0 {
		return invalidField("number", "at least 1")
	}
	return r.session.Extend(e.GetNumber(), ranges, d)
}

func (r *subscribeReceiver) drain(d *headracev1.SubscribeRequest_Drain) error {
	grace, err := duration("grace", d.GetGrace(), 0, maxDelay, defaultGrace)
	if err != nil {
		return err
	}
	return r.session.Drain(grace)
}

// subscribeParams reads Open, all of whose fields are served.
func subscribeParams(o *headracev1.SubscribeRequest_Open) (broker.SubscribeParams, error) {
	p := broker.SubscribeParams{
		ClientID: o.GetClientId(), Labels: o.GetLabels(), Takeover: o.GetTakeover(), Features: clientFeatures(o.GetFeatures()),
	}
	var err error
	if p.Subscription, err = parseName("subscription", o.GetSubscription()); err != nil {
		return p, err
	}
	if err := errors.Join(checkClientID(p.ClientID), checkLabels(p.Labels), checkFeatures(o.GetFeatures())); err != nil {
		return p, err
	}
	if p.Resume, err = resumeOf(o.GetResume()); err != nil {
		return p, err
	}
	const subscriptionsLease = 0
	if p.Lease, err = duration("lease", o.GetLease(), minLease, maxLease, subscriptionsLease); err != nil {
		return p, err
	}
	if p.MaxFrameBytes, err = frameBytes(o.GetMaxFrameBytes()); err != nil {
		return p, err
	}
	if o.GetReplenish() != headracev1.Replenish_REPLENISH_MANUAL {
		p.Replenish, p.Window = broker.OnSettle, windowOf(o.GetWindow())
		return p, nil
	}
	if o.GetWindow() != nil {
		return p, invalidField("window", "not in a REPLENISH_MANUAL session")
	}
	p.Replenish = broker.Manual
	return p, nil
}

// checkFeatures refuses the one value that is not legal. Others are the client's
// to announce, known here or not.
func checkFeatures(features []headracev1.Feature) error {
	if slices.Contains(features, headracev1.Feature_FEATURE_UNSPECIFIED) {
		return invalidField("features", "no FEATURE_UNSPECIFIED")
	}
	return nil
}

// knownFeatures are what a client may announce and the server makes use of.
var knownFeatures = map[headracev1.Feature]broker.Features{
	headracev1.Feature_FEATURE_KEY_BATCHES: broker.KeyBatches,
	headracev1.Feature_FEATURE_STARTED:     broker.TellsStarted,
	headracev1.Feature_FEATURE_RECALL:      broker.AnswersRecall,
	headracev1.Feature_FEATURE_RESUME:      broker.Resumes,
}

func clientFeatures(announced []headracev1.Feature) (known broker.Features) {
	for _, f := range announced {
		known |= knownFeatures[f]
	}
	return known
}

func frameBytes(n uint32) (int, error) {
	switch {
	case n == 0:
		return delivery.DefaultMaxFrameBytes, nil
	case n < minFrameBytes || n > maxFrameBytes:
		return 0, invalidField("max_frame_bytes", "4,096 to 67,108,864")
	}
	return int(n), nil
}

// windowOf reads a window; a unit that is not set has its default.
func windowOf(w *headracev1.SubscribeRequest_Window) broker.Amount {
	out := broker.Amount{Messages: defaultWindowMessages, Bytes: defaultWindowBytes}
	if w != nil && w.Messages != nil {
		out.Messages = w.GetMessages()
	}
	if w != nil && w.Bytes != nil {
		out.Bytes = w.GetBytes()
	}
	return out
}

package proxy

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/conformance/record"
)

// follows says whether the frames of a method are told.
func follows(method string) bool {
	return method == headracev1.SubscriberService_Subscribe_FullMethodName
}

// statusName is the name of a gRPC status that came as a number.
func statusName(number string) string {
	n, err := strconv.ParseUint(number, 10, 8)
	if err != nil {
		return number
	}
	return codes.Code(n).String()
}

func (t *tap) tell(c *call, kind string, frame proto.Message, fields record.Fields) {
	fields["link"], fields["stream"] = t.link, c.number
	t.history.RecordFrame(kind, fields, frame)
}

// requested tells a frame of a subscriber.
func (t *tap) requested(c *call, b []byte) {
	var frame headracev1.SubscribeRequest
	if err := proto.Unmarshal(b, &frame); err != nil {
		t.tell(c, "client.malformed", nil, record.Fields{"detail": err.Error()})
		return
	}
	switch f := frame.GetFrame().(type) {
	case *headracev1.SubscribeRequest_Open_:
		t.tell(c, "client.open", f.Open, openFields(f.Open))
	case *headracev1.SubscribeRequest_Window_:
		t.tell(c, "client.window", f.Window, windowFields(f.Window))
	case *headracev1.SubscribeRequest_Grant_:
		t.tell(c, "client.grant", f.Grant, record.Fields{
			"through_sequence": text(f.Grant.GetThroughSequence()), "through_bytes": text(f.Grant.GetThroughBytes()),
		})
	case *headracev1.SubscribeRequest_Started_:
		t.tell(c, "client.started", f.Started, rangeFields(f.Started.GetRanges()))
	case *headracev1.SubscribeRequest_Settle_:
		fields := rangeFields(f.Settle.GetRanges())
		fields["number"] = text(f.Settle.GetNumber())
		fields["verdict"] = strings.TrimPrefix(f.Settle.GetVerdict().String(), "VERDICT_")
		t.tell(c, "client.settle", f.Settle, fields)
	case *headracev1.SubscribeRequest_Extend_:
		fields := rangeFields(f.Extend.GetRanges())
		fields["number"], fields["duration"] = text(f.Extend.GetNumber()), milliseconds(f.Extend.GetDuration())
		t.tell(c, "client.extend", f.Extend, fields)
	case *headracev1.SubscribeRequest_Drain_:
		t.tell(c, "client.drain", f.Drain, record.Fields{"grace": milliseconds(f.Drain.GetGrace())})
	case *headracev1.SubscribeRequest_Heartbeat:
		t.tell(c, "client.heartbeat", f.Heartbeat, record.Fields{})
	}
}

// responded tells a frame of the server.
func (t *tap) responded(c *call, b []byte) {
	var frame headracev1.SubscribeResponse
	if err := proto.Unmarshal(b, &frame); err != nil {
		t.tell(c, "server.malformed", nil, record.Fields{"detail": err.Error()})
		return
	}
	switch f := frame.GetFrame().(type) {
	case *headracev1.SubscribeResponse_Opened_:
		t.tell(c, "server.opened", f.Opened, openedFields(f.Opened))
	case *headracev1.SubscribeResponse_Batch_:
		t.tell(c, "server.batch", f.Batch, record.Fields{
			"first": text(f.Batch.GetFirstSequence()), "count": text(len(f.Batch.GetMessages())),
			"charged": text(f.Batch.GetChargedBytes()), "unknown": text(unknown(f.Batch.GetMessages())),
		})
	case *headracev1.SubscribeResponse_SettleResult_:
		t.tell(c, "server.settle_result", f.SettleResult, record.Fields{
			"through": text(f.SettleResult.GetConfirmedThrough()), "failures": text(len(f.SettleResult.GetFailures())),
		})
	case *headracev1.SubscribeResponse_FlowState_:
		t.tell(c, "server.flow_state", f.FlowState, flowFields(f.FlowState))
	case *headracev1.SubscribeResponse_Recall_:
		t.tell(c, "server.recall", f.Recall, rangeFields(f.Recall.GetRanges()))
	case *headracev1.SubscribeResponse_Revoked_:
		fields := rangeFields(f.Revoked.GetRanges())
		fields["reason"] = strings.TrimPrefix(f.Revoked.GetReason().String(), "REVOKE_REASON_")
		t.tell(c, "server.revoked", f.Revoked, fields)
	case *headracev1.SubscribeResponse_GoAway:
		t.tell(c, "server.go_away", f.GoAway, record.Fields{
			"reason": strings.TrimPrefix(f.GoAway.GetReason().String(), "GO_AWAY_REASON_"),
		})
	case *headracev1.SubscribeResponse_Drained_:
		t.tell(c, "server.drained", f.Drained, record.Fields{})
	}
}

func openFields(o *headracev1.SubscribeRequest_Open) record.Fields {
	fields := windowFields(o.GetWindow())
	fields["subscription"] = o.GetSubscription()
	fields["resumes"] = "no"
	if r := o.GetResume(); r != nil {
		fields["resumes"] = "yes"
		fields["received"] = text(r.GetReceivedThrough())
		fields["holding"] = text(count(r.GetHolding()))
	}
	return fields
}

func windowFields(w *headracev1.SubscribeRequest_Window) record.Fields {
	fields := record.Fields{}
	if w != nil && w.Messages != nil {
		fields["messages"] = text(w.GetMessages())
	}
	if w != nil && w.Bytes != nil {
		fields["bytes"] = text(w.GetBytes())
	}
	return fields
}

func openedFields(o *headracev1.SubscribeResponse_Opened) record.Fields {
	fields := record.Fields{"session": o.GetSessionId(), "resumed": "no"}
	if r := o.GetResumed(); r != nil {
		fields["resumed"], fields["kept"], fields["next"] = "yes", text(count(r.GetKept())), text(r.GetNextSequence())
	}
	return fields
}

func flowFields(f *headracev1.SubscribeResponse_FlowState) record.Fields {
	var blocked []string
	for _, b := range f.GetBlockedBy() {
		blocked = append(blocked, strings.TrimPrefix(b.String(), "BLOCKED_BY_"))
	}
	return record.Fields{"blocked_by": strings.Join(blocked, " ")}
}

func rangeFields(ranges []*headracev1.SequenceRange) record.Fields {
	var all []string
	for _, r := range ranges {
		all = append(all, fmt.Sprintf("%d-%d", r.GetFirst(), r.GetLast()))
	}
	return record.Fields{"ranges": strings.Join(all, " "), "count": text(count(ranges))}
}

// unknown is how many messages have fields that the contract does not have.
func unknown(messages []*headracev1.Message) (n int) {
	for _, m := range messages {
		if len(m.ProtoReflect().GetUnknown()) > 0 {
			n++
		}
	}
	return n
}

func count(ranges []*headracev1.SequenceRange) (n uint64) {
	for _, r := range ranges {
		n += r.GetLast() - r.GetFirst() + 1
	}
	return n
}

func milliseconds(d *durationpb.Duration) string {
	if d == nil {
		return ""
	}
	return text(d.AsDuration().Milliseconds())
}

func text[T int | int64 | uint64](n T) string { return fmt.Sprint(n) }

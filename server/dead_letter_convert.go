package server

import (
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/wire"
	"github.com/headrace/headrace/storage"
)

// deadLetterFilter is which dead letters are meant.
type deadLetterFilter struct {
	reasons       map[storage.DeadReason]bool
	since, before time.Time
	// notForwarded are those that were to be and were not.
	notForwarded bool
}

// deadReasons are why messages are given up.
var deadReasons = map[storage.DeadReason]headracev1.DeadLetterReason{
	storage.DeadAttempts:   headracev1.DeadLetterReason_DEAD_LETTER_REASON_MAX_ATTEMPTS,
	storage.DeadDeliveries: headracev1.DeadLetterReason_DEAD_LETTER_REASON_MAX_DELIVERIES,
	storage.DeadRejected:   headracev1.DeadLetterReason_DEAD_LETTER_REASON_REJECTED,
	storage.DeadBacklog:    headracev1.DeadLetterReason_DEAD_LETTER_REASON_BACKLOG,
}

// failureKinds are how deliveries come to nothing.
var failureKinds = map[storage.FailureKind]headracev1.DeliveryFailureKind{
	storage.FailureRetried:  headracev1.DeliveryFailureKind_DELIVERY_FAILURE_KIND_RETRIED,
	storage.FailureExpired:  headracev1.DeliveryFailureKind_DELIVERY_FAILURE_KIND_EXPIRED,
	storage.FailureLost:     headracev1.DeliveryFailureKind_DELIVERY_FAILURE_KIND_LOST,
	storage.FailureRejected: headracev1.DeliveryFailureKind_DELIVERY_FAILURE_KIND_REJECTED,
}

func deadLetterFilterOf(f *headracev1.DeadLetterFilter) (deadLetterFilter, error) {
	out := deadLetterFilter{notForwarded: f.GetNotForwarded()}
	for _, reason := range f.GetReasons() {
		stored := storedReason(reason)
		if stored == 0 {
			return out, invalidField("filter.reasons", "reasons of dead letters")
		}
		if out.reasons == nil {
			out.reasons = map[storage.DeadReason]bool{}
		}
		out.reasons[stored] = true
	}
	for field, t := range map[string]struct {
		from *timestamppb.Timestamp
		to   *time.Time
	}{"filter.dead_since": {f.GetDeadSince(), &out.since}, "filter.dead_before": {f.GetDeadBefore(), &out.before}} {
		if t.from == nil {
			continue
		}
		if t.from.CheckValid() != nil {
			return out, invalidField(field, "a valid time")
		}
		*t.to = t.from.AsTime()
	}
	return out, nil
}

func storedReason(reason headracev1.DeadLetterReason) storage.DeadReason {
	for stored, r := range deadReasons {
		if r == reason {
			return stored
		}
	}
	return 0
}

func (f *deadLetterFilter) matches(d *storage.DeadLetter) bool {
	return (f.reasons == nil || f.reasons[d.Reason]) && !d.DeadTime.Before(f.since) &&
		(f.before.IsZero() || d.DeadTime.Before(f.before)) &&
		(!f.notForwarded || d.Forward != nil && d.Forward.Failure != 0)
}

// deadLetterProto describes a dead letter, without its message.
func (s *subscriptionService) deadLetterProto(d *storage.DeadLetter) *headracev1.DeadLetter {
	return &headracev1.DeadLetter{
		Sequence:     d.Sequence,
		Position:     &headracev1.Position{Partition: uint32(d.Partition), Offset: uint64(d.Offset)},
		MessageBytes: uint64(len(d.Message)),
		LogTime:      timestamppb.New(d.LogTime),
		DeadTime:     timestamppb.New(d.DeadTime),
		Reason:       deadReasons[d.Reason],
		Failed:       d.Failed,
		Expired:      d.Expired,
		Lost:         d.Lost,
		Failures:     failuresProto(d.Failures),
		Forward:      s.forwardProto(d.Forward),
	}
}

// failuresProto describes what came to nothing.
func failuresProto(all []storage.Failure) (out []*headracev1.DeliveryFailure) {
	for i := range all {
		f := &all[i]
		out = append(out, &headracev1.DeliveryFailure{
			Time: timestamppb.New(f.Time), Kind: failureKinds[f.Kind], ClientId: f.Client, Code: f.Code, Reason: f.Reason,
		})
	}
	return out
}

// deadLetterMessage is the message of a dead letter.
func deadLetterMessage(d *storage.DeadLetter) (*headracev1.Message, error) {
	return storedMessage(d.Message, uint32(d.Partition), d.Offset)
}

// redriven is a dead letter's message as it is delivered again.
func redriven(d *storage.DeadLetter) []byte { return wire.WithMessageID(d.Message, messageID(d)) }

// messageID is the id of a message that entered the log where it died.
func messageID(d *storage.DeadLetter) string {
	return positionID(uint64(d.Partition), uint64(d.Offset))
}

// positionID is the id of a message that entered the log at a position.
func positionID(partition, offset uint64) string {
	return strconv.FormatUint(partition, 10) + "-" + strconv.FormatUint(offset, 10)
}

package server

import (
	"strconv"
	"strings"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
	"github.com/headrace/headrace/storage"
)

// forwardPrefix begins the attributes that say where a forwarded message came from. What
// came to a topic that way before goes on with those of its last way.
const forwardPrefix = "headrace.dead_letter."

// CopyLetter makes the message that is forwarded of a dead letter: the broker's
// Config.CopyLetter.
func CopyLetter(d *storage.DeadLetter, from broker.Origin) (message []byte, size int) {
	return wire.Copy(d.Message, forwardPrefix, origin(d, from)...)
}

// origin says where a dead letter came from, and why.
func origin(d *storage.DeadLetter, from broker.Origin) []wire.Attribute {
	all := []wire.Attribute{
		{Key: forwardPrefix + "subscription", Value: string(from.Subscription)},
		{Key: forwardPrefix + "topic", Value: string(from.Topic)},
		{Key: forwardPrefix + "message_id", Value: firstID(d)},
		{Key: forwardPrefix + "sequence", Value: strconv.FormatUint(d.Sequence, 10)},
		{Key: forwardPrefix + "reason", Value: deadReasonName(d.Reason)},
		{Key: forwardPrefix + "attempts", Value: strconv.FormatUint(uint64(d.Failed)+uint64(d.Expired), 10)},
		{Key: forwardPrefix + "time", Value: d.DeadTime.Format(time.RFC3339Nano)},
	}
	if n := len(d.Failures); n > 0 {
		all = append(all,
			wire.Attribute{Key: forwardPrefix + "failure_code", Value: d.Failures[n-1].Code},
			wire.Attribute{Key: forwardPrefix + "failure_reason", Value: d.Failures[n-1].Reason})
	}
	return all
}

// firstID is the id that a dead letter's message has.
func firstID(d *storage.DeadLetter) string {
	if id := wire.MessageID(d.Message); id != "" {
		return id
	}
	return messageID(d)
}

func deadReasonName(r storage.DeadReason) string {
	return strings.TrimPrefix(deadReasons[r].String(), "DEAD_LETTER_REASON_")
}

// forwardFailures are why dead letters are not forwarded.
var forwardFailures = map[storage.ForwardFailure]headracev1.DeadLetterForwardFailure{
	storage.ForwardTopicGone:   headracev1.DeadLetterForwardFailure_DEAD_LETTER_FORWARD_FAILURE_TOPIC_GONE,
	storage.ForwardBacklogFull: headracev1.DeadLetterForwardFailure_DEAD_LETTER_FORWARD_FAILURE_BACKLOG_FULL,
	storage.ForwardTooLarge:    headracev1.DeadLetterForwardFailure_DEAD_LETTER_FORWARD_FAILURE_TOO_LARGE,
	storage.ForwardDamaged:     headracev1.DeadLetterForwardFailure_DEAD_LETTER_FORWARD_FAILURE_DAMAGED,
	storage.ForwardNoSpace:     headracev1.DeadLetterForwardFailure_DEAD_LETTER_FORWARD_FAILURE_DISK_FULL,
}

// forwardProto says what became of forwarding a dead letter; nil: nothing was to.
func (s *subscriptionService) forwardProto(f *storage.Forward) *headracev1.DeadLetterForward {
	if f == nil {
		return nil
	}
	out := &headracev1.DeadLetterForward{
		Topic: string(s.broker.TopicName(f.Copy.Partition.Topic)), Failure: forwardFailures[f.Failure],
	}
	if f.Failure == 0 {
		out.Position = &headracev1.Position{Partition: uint32(f.Copy.Partition.Partition), Offset: uint64(f.Copy.Base)}
	}
	return out
}

// takeDeadLetterTopic takes over where dead letters are forwarded to; empty: nowhere.
func takeDeadLetterTopic(c *broker.SubscriptionConfig, s *headracev1.Subscription, _ broker.SubscriptionConfig) (err error) {
	c.DeadLetterTopic = ""
	if s.GetDeadLetterTopic() != "" {
		c.DeadLetterTopic, err = parseName("dead_letter_topic", s.GetDeadLetterTopic())
	}
	return err
}

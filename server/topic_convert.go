package server

import (
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/storage"
)

// newTopicConfig reads a topic that a client wants to create. base has the
// defaults.
func newTopicConfig(t *headracev1.Topic, base broker.TopicConfig) (broker.TopicConfig, error) {
	if t.GetCreateTime() != nil || t.GetState() != headracev1.ResourceState_RESOURCE_STATE_UNSPECIFIED {
		return base, invalidField("create_time, state", "set by the server")
	}
	base.Buffered = t.GetDurability() == headracev1.Durability_DURABILITY_BUFFERED
	if t.GetPartitions() != 0 {
		base.Partitions = int(t.GetPartitions())
	}
	for _, path := range []string{"retention", "max_message_bytes", "dedupe_window", "dedupe_max_ids", "labels"} {
		if err := topicPaths[path](&base, t, base); err != nil {
			return base, err
		}
	}
	return base, nil
}

// topicPaths are the fields of a topic that an update may name, and how each is
// taken over. What t leaves out becomes what defaults has.
var topicPaths = map[string]taker[broker.TopicConfig, *headracev1.Topic]{
	"retention":              takeRetention,
	"retention.min_age":      takeMinAge,
	"retention.max_age":      takeMaxAge,
	"retention.max_bytes":    takeMaxBytes,
	"retention.keep_settled": takeKeepSettled,
	"max_message_bytes":      takeMaxMessageBytes,
	"dedupe_window": func(c *broker.TopicConfig, t *headracev1.Topic, defaults broker.TopicConfig) (err error) {
		c.DedupeWindow, err = duration("dedupe_window", t.GetDedupeWindow(), 0, broker.MaxDedupeWindow, defaults.DedupeWindow)
		return err
	},
	"dedupe_max_ids": func(c *broker.TopicConfig, t *headracev1.Topic, defaults broker.TopicConfig) error {
		most := t.GetDedupeMaxIds()
		if most > broker.MaxDedupeIDs {
			return invalidField("dedupe_max_ids", fmt.Sprintf("at most %d", broker.MaxDedupeIDs))
		}
		c.DedupeIDs = int(most)
		if most == 0 {
			c.DedupeIDs = defaults.DedupeIDs
		}
		return nil
	},
	"labels": func(c *broker.TopicConfig, t *headracev1.Topic, _ broker.TopicConfig) error {
		c.Labels = t.GetLabels()
		return nil
	},
}

func takeMaxMessageBytes(c *broker.TopicConfig, t *headracev1.Topic, defaults broker.TopicConfig) error {
	size := t.GetMaxMessageBytes()
	if size > broker.LargestMaxMessageBytes {
		return invalidField("max_message_bytes", fmt.Sprintf("at most %d", broker.LargestMaxMessageBytes))
	}
	c.MaxMessageBytes = int(size)
	if size == 0 {
		c.MaxMessageBytes = defaults.MaxMessageBytes
	}
	return nil
}

func topicProto(t broker.Topic) *headracev1.Topic {
	return &headracev1.Topic{
		Name:            string(t.Name),
		Partitions:      uint32(t.Partitions),
		Durability:      durabilityProto(t.Buffered),
		Retention:       retentionProto(&t),
		MaxMessageBytes: uint64(t.MaxMessageBytes),
		DedupeWindow:    durationpb.New(t.DedupeWindow),
		DedupeMaxIds:    uint64(t.DedupeIDs),
		Labels:          t.Labels,
		CreateTime:      timestamppb.New(t.CreatedAt),
		State:           stateProto(t.State),
	}
}

func durabilityProto(buffered bool) headracev1.Durability {
	if buffered {
		return headracev1.Durability_DURABILITY_BUFFERED
	}
	return headracev1.Durability_DURABILITY_SYNCED
}

func topicStatsProto(s broker.TopicStats) *headracev1.TopicStats {
	out := &headracev1.TopicStats{
		Topic:         string(s.Topic),
		Retained:      amountProto(s.Retained),
		Published:     amountProto(s.Published),
		Subscriptions: uint32(min(s.Subscriptions, math.MaxUint32)),
	}
	for i, p := range s.Partitions {
		out.Partitions = append(out.Partitions, &headracev1.PartitionStats{
			Partition:   uint32(i),
			FirstOffset: uint64(p.First),
			NextOffset:  uint64(p.Next),
			Retained:    &headracev1.Amount{Messages: p.RetainedMessages, Bytes: p.RetainedBytes},
		})
	}
	return out
}

func stateProto(s storage.State) headracev1.ResourceState {
	switch s {
	case storage.Creating:
		return headracev1.ResourceState_RESOURCE_STATE_CREATING
	case storage.Active:
		return headracev1.ResourceState_RESOURCE_STATE_ACTIVE
	case storage.Deleting:
		return headracev1.ResourceState_RESOURCE_STATE_DELETING
	case storage.Damaged:
		return headracev1.ResourceState_RESOURCE_STATE_DAMAGED
	}
	return headracev1.ResourceState_RESOURCE_STATE_UNSPECIFIED
}

func amountProto(a broker.Amount) *headracev1.Amount {
	return &headracev1.Amount{Messages: a.Messages, Bytes: a.Bytes}
}

// ageProto is an age, absent when there is none.
func ageProto(d time.Duration) *durationpb.Duration {
	if d == 0 {
		return nil
	}
	return durationpb.New(d)
}

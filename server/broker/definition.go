package broker

import (
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	storagev1 "github.com/headrace/headrace/gen/go/headrace/storage/v1"
	"github.com/headrace/headrace/storage"
)

// definitions are written the same way each time, so that equal ones are equal bytes.
var definitions = proto.MarshalOptions{Deterministic: true}

// storedTopic describes a topic to the store.
func storedTopic(c TopicConfig) (storage.Topic, error) {
	definition, err := encodeDefinition(&storagev1.TopicDefinition{
		Durability:      definedDurability(c.Buffered),
		MaxMessageBytes: uint64(c.MaxMessageBytes),
		Labels:          c.Labels,
	})
	return storage.Topic{
		Name:       string(c.Name),
		Partitions: uint16(c.Partitions),
		Buffered:   c.Buffered,
		MinAge:     c.MinAge,
		MaxAge:     c.MaxAge,
		MaxBytes:   c.MaxBytes,
		Definition: definition,

		KeepSettled:  c.KeepSettled,
		DedupeWindow: c.DedupeWindow,
		DedupeIDs:    uint32(c.DedupeIDs),
	}, err
}

// topicConfig reads what storedTopic wrote. Errors: ErrDataLoss.
func topicConfig(t storage.Topic) (TopicConfig, error) {
	var d storagev1.TopicDefinition
	if err := proto.Unmarshal(t.Definition, &d); err != nil {
		return TopicConfig{}, fmt.Errorf("%w: definition of topic %s: %w", ErrDataLoss, t.Name, err)
	}
	if d.GetDurability() != definedDurability(t.Buffered) {
		return TopicConfig{}, fmt.Errorf("%w: topic %s has durability %v", ErrDataLoss, t.Name, d.GetDurability())
	}
	return TopicConfig{
		Name:            Name(t.Name),
		Partitions:      int(t.Partitions),
		Buffered:        t.Buffered,
		MinAge:          t.MinAge,
		KeepSettled:     t.KeepSettled,
		MaxAge:          t.MaxAge,
		MaxBytes:        t.MaxBytes,
		MaxMessageBytes: int(d.GetMaxMessageBytes()),
		DedupeWindow:    t.DedupeWindow,
		DedupeIDs:       int(t.DedupeIDs),
		Labels:          d.GetLabels(),
	}, nil
}

// definedDurability is a durability as it is stored; the store itself must know which
// topics are buffered, too.
func definedDurability(buffered bool) storagev1.DefinedDurability {
	if buffered {
		return storagev1.DefinedDurability_DEFINED_DURABILITY_BUFFERED
	}
	return storagev1.DefinedDurability_DEFINED_DURABILITY_SYNCED
}

// definedModes are the modes as they are stored.
var definedModes = map[Mode]storagev1.DefinedMode{
	Shared:    storagev1.DefinedMode_DEFINED_MODE_SHARED,
	Exclusive: storagev1.DefinedMode_DEFINED_MODE_EXCLUSIVE,
	Failover:  storagev1.DefinedMode_DEFINED_MODE_FAILOVER,
}

// storedSubscription describes a subscription to the store.
func storedSubscription(c SubscriptionConfig, topic storage.TopicID) (storage.Subscription, error) {
	definition, err := encodeDefinition(&storagev1.SubscriptionDefinition{
		Mode:                 definedModes[c.Mode],
		Order:                definedOrders[c.Order],
		KeyFailure:           definedKeyFailure(c),
		Guarantee:            definedGuarantees[c.Guarantee],
		Lease:                durationpb.New(c.Lease),
		MaxLease:             durationpb.New(c.MaxLease),
		MinBackoff:           durationpb.New(c.MinBackoff),
		MaxBackoff:           durationpb.New(c.MaxBackoff),
		MaxAttempts:          new(c.MaxAttempts),
		MaxDeliveries:        new(c.MaxDeliveries),
		MaxOutstanding:       definedCeiling(c.MaxOutstanding),
		ClientMaxOutstanding: definedCeiling(c.ClientMaxOutstanding),
		Labels:               c.Labels,
		Paused:               c.Paused,
		Ephemeral:            c.Ephemeral,
		ExpireAfter:          definedDuration(c.ExpireAfter),
		BacklogCap:           definedBacklogCap(c.BacklogCap),
		BacklogAction:        storagev1.DefinedBacklogAction(c.BacklogCap.Action),

		CapMessagesPerSecond: c.DispatchCap.MessagesPerSecond,
		CapBytesPerSecond:    c.DispatchCap.BytesPerSecond,
		CapConcurrency:       c.DispatchCap.Concurrency,
		ResumeWindow:         durationpb.New(c.ResumeWindow),
		DeadLetterTopic:      string(c.DeadLetterTopic),
	})
	return storage.Subscription{Name: string(c.Name), Topic: topic, Definition: definition}, err
}

// subscriptionConfig reads what storedSubscription wrote. Errors: ErrDataLoss.
func subscriptionConfig(s storage.Subscription, topic Name) (SubscriptionConfig, error) {
	var d storagev1.SubscriptionDefinition
	if err := proto.Unmarshal(s.Definition, &d); err != nil {
		return SubscriptionConfig{}, fmt.Errorf("%w: definition of subscription %s: %w", ErrDataLoss, s.Name, err)
	}
	mode, err := servedMode(&d)
	order, policy, orderErr := servedOrder(&d)
	guarantee, guaranteeErr := servedGuarantee(&d)
	if err = errors.Join(err, orderErr, guaranteeErr); err != nil {
		return SubscriptionConfig{}, fmt.Errorf("subscription %s: %w", s.Name, err)
	}
	return SubscriptionConfig{
		Name:                 Name(s.Name),
		Topic:                topic,
		Mode:                 mode,
		Order:                order,
		KeyPolicy:            policy,
		Guarantee:            guarantee,
		Lease:                d.GetLease().AsDuration(),
		MaxLease:             d.GetMaxLease().AsDuration(),
		MinBackoff:           d.GetMinBackoff().AsDuration(),
		MaxBackoff:           d.GetMaxBackoff().AsDuration(),
		MaxAttempts:          d.GetMaxAttempts(),
		MaxDeliveries:        d.GetMaxDeliveries(),
		MaxOutstanding:       ceilingAmount(d.GetMaxOutstanding()),
		ClientMaxOutstanding: ceilingAmount(d.GetClientMaxOutstanding()),
		Labels:               d.GetLabels(),
		Paused:               d.GetPaused(),
		Ephemeral:            d.GetEphemeral(),
		ExpireAfter:          d.GetExpireAfter().AsDuration(),
		BacklogCap: BacklogCap{
			Max: ceilingAmount(d.GetBacklogCap()), Action: BacklogAction(d.GetBacklogAction()),
		},
		DispatchCap: DispatchCap{
			MessagesPerSecond: d.GetCapMessagesPerSecond(),
			BytesPerSecond:    d.GetCapBytesPerSecond(),
			Concurrency:       d.GetCapConcurrency(),
		},
		DeadLetterTopic: Name(d.GetDeadLetterTopic()),
		ResumeWindow:    definedResumeWindow(&d, mode),
	}, nil
}

// definedResumeWindow is that of a stored definition. Those from before it was served
// have none.
func definedResumeWindow(d *storagev1.SubscriptionDefinition, mode Mode) time.Duration {
	if d.GetResumeWindow() == nil {
		return DefaultResumeWindow(mode)
	}
	return d.GetResumeWindow().AsDuration()
}

// servedMode is the mode of a stored definition, all of which must be served here.
func servedMode(d *storagev1.SubscriptionDefinition) (Mode, error) {
	if d.MaxAttempts == nil {
		return 0, fmt.Errorf("%w: no stored bound of attempts", ErrDataLoss)
	}
	for mode, defined := range definedModes {
		if defined == d.GetMode() {
			return mode, nil
		}
	}
	return 0, fmt.Errorf("%w: stored mode %v", ErrDataLoss, d.GetMode())
}

// encodeDefinition encodes a definition, which must stay inline in the store.
func encodeDefinition(m proto.Message) ([]byte, error) {
	encoded, err := definitions.Marshal(m)
	switch {
	case err != nil:
		// What a client may send and Protobuf refuses is invalid UTF-8.
		return nil, invalidField("labels", "valid UTF-8")
	case len(encoded) > storage.MaxDefinitionBytes:
		return nil, invalidField("labels", "smaller together")
	}
	return encoded, nil
}

// definedDuration is nil for none.
func definedDuration(d time.Duration) *durationpb.Duration {
	if d == 0 {
		return nil
	}
	return durationpb.New(d)
}

// definedBacklogCap is nil where there is none: such a definition has the bytes that it
// had before there were caps.
func definedBacklogCap(c BacklogCap) *storagev1.DefinedCeiling {
	if !c.some() {
		return nil
	}
	return definedCeiling(c.Max)
}

func definedCeiling(a Amount) *storagev1.DefinedCeiling {
	return &storagev1.DefinedCeiling{Messages: a.Messages, Bytes: a.Bytes}
}

func ceilingAmount(c *storagev1.DefinedCeiling) Amount {
	return Amount{Messages: c.GetMessages(), Bytes: c.GetBytes()}
}

package record

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	storagev1 "github.com/headrace/headrace/gen/go/headrace/storage/v1"
	"github.com/headrace/headrace/storage"
)

// catalogVersion is the version of the envelope of Protobuf records; their fields
// evolve as Protobuf's do.
const catalogVersion = 1

// AppendTopic appends the value of a topic. It fails only for a name that is not
// UTF-8.
func AppendTopic(dst, key []byte, t *storage.Topic) ([]byte, error) {
	m := &storagev1.TopicRecord{
		Id:         uint32(t.ID),
		Name:       t.Name,
		Partitions: uint32(t.Partitions),
		State:      storagev1.RecordState(t.State),
		CreateTime: timestamppb.New(t.CreatedAt),
		MinAge:     durationpb.New(t.MinAge),
		Definition: t.Definition,

		ReplayOfSubscriptionId: uint32(t.ReplayOf),
		Buffered:               t.Buffered,
	}
	// A topic that is as topics were before they had these has the same bytes.
	if t.DedupeWindow != storage.DefaultDedupeWindow {
		m.DedupeWindow = durationpb.New(t.DedupeWindow)
	}
	if t.DedupeIDs != storage.DefaultDedupeIDs {
		m.DedupeIds = new(t.DedupeIDs)
	}
	if t.KeepSettled != 0 {
		m.KeepSettled = durationpb.New(t.KeepSettled)
	}
	if t.MaxAge != 0 {
		m.MaxAge = durationpb.New(t.MaxAge)
	}
	m.MaxBytes = t.MaxBytes
	return appendMessage(dst, key, m)
}

// DecodeTopic decodes and checks a topic.
func DecodeTopic(key, value []byte) (storage.Topic, error) {
	id, err := ParseTopicKey(key)
	if err != nil {
		return storage.Topic{}, err
	}
	var m storagev1.TopicRecord
	if err := decodeMessage(key, value, &m); err != nil {
		return storage.Topic{}, err
	}
	if m.GetId() != uint32(id) || m.GetPartitions() > math.MaxUint16 || !storedState(m.GetState()) {
		return storage.Topic{}, damaged(key, "topic makes no sense")
	}
	t := storage.Topic{
		ID:         id,
		Name:       m.GetName(),
		Partitions: uint16(m.GetPartitions()),
		State:      storage.State(m.GetState()),
		CreatedAt:  m.GetCreateTime().AsTime(),
		MinAge:     m.GetMinAge().AsDuration(),
		Definition: m.GetDefinition(),
		ReplayOf:   storage.SubscriptionID(m.GetReplayOfSubscriptionId()),
		MaxAge:     m.GetMaxAge().AsDuration(),
		MaxBytes:   m.GetMaxBytes(),
		Buffered:   m.GetBuffered(),

		KeepSettled:  m.GetKeepSettled().AsDuration(),
		DedupeWindow: storage.DefaultDedupeWindow,
		DedupeIDs:    storage.DefaultDedupeIDs,
	}
	if m.GetDedupeWindow() != nil {
		t.DedupeWindow = m.GetDedupeWindow().AsDuration()
	}
	if m.DedupeIds != nil {
		t.DedupeIDs = m.GetDedupeIds()
	}
	return t, nil
}

// storedState says whether a state may be on disk.
func storedState(s storagev1.RecordState) bool {
	return s >= storagev1.RecordState_RECORD_STATE_CREATING && s <= storagev1.RecordState_RECORD_STATE_DELETING
}

func appendMessage(dst, key []byte, m proto.Message) ([]byte, error) {
	start := len(dst)
	dst = append(dst, catalogVersion)
	dst, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(dst, m)
	if err != nil {
		return nil, fmt.Errorf("record: encode %x: %w", key, err)
	}
	return seal(dst, start, key), nil
}

func decodeMessage(key, value []byte, m proto.Message) error {
	body, err := unseal(key, value, catalogVersion)
	if err != nil {
		return err
	}
	if err := proto.Unmarshal(body, m); err != nil {
		return damaged(key, "%v", err)
	}
	return nil
}

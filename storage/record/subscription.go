package record

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	storagev1 "github.com/headrace/headrace/gen/go/headrace/storage/v1"
	"github.com/headrace/headrace/storage"
)

// AppendSubscription appends the value of a subscription. It fails only for a name
// that is not UTF-8.
func AppendSubscription(dst, key []byte, s *storage.Subscription) ([]byte, error) {
	m := &storagev1.SubscriptionRecord{
		Id:         uint32(s.ID),
		Name:       s.Name,
		TopicId:    uint32(s.Topic),
		State:      storagev1.RecordState(s.State),
		CreateTime: timestamppb.New(s.CreatedAt),
		Definition: s.Definition,

		ReplayTopicId:  uint32(s.Replay),
		CountsSessions: s.Sessions,
	}
	if !s.LastUse.IsZero() {
		m.LastUseTime = timestamppb.New(s.LastUse)
	}
	if x := s.Snapshot; x != nil {
		m.Snapshot = &storagev1.SnapshotMark{
			ExpireTime: timestamppb.New(x.ExpiresAt), Subscription: x.Of, Unsettled: x.Unsettled,
		}
	}
	return appendMessage(dst, key, m)
}

// DecodeSubscription decodes and checks a subscription.
func DecodeSubscription(key, value []byte) (storage.Subscription, error) {
	id, err := ParseSubscriptionKey(key)
	if err != nil {
		return storage.Subscription{}, err
	}
	var m storagev1.SubscriptionRecord
	if err := decodeMessage(key, value, &m); err != nil {
		return storage.Subscription{}, err
	}
	if m.GetId() != uint32(id) || !storedState(m.GetState()) {
		return storage.Subscription{}, damaged(key, "subscription makes no sense")
	}
	x := storage.Subscription{
		ID:         id,
		Name:       m.GetName(),
		Topic:      storage.TopicID(m.GetTopicId()),
		State:      storage.State(m.GetState()),
		CreatedAt:  m.GetCreateTime().AsTime(),
		Definition: m.GetDefinition(),
		Replay:     storage.TopicID(m.GetReplayTopicId()),
		Sessions:   m.GetCountsSessions(),
	}
	if m.GetLastUseTime() != nil {
		x.LastUse = m.GetLastUseTime().AsTime()
	}
	if mark := m.GetSnapshot(); mark != nil {
		x.Snapshot = &storage.SnapshotMark{
			ExpiresAt: mark.GetExpireTime().AsTime(), Of: mark.GetSubscription(), Unsettled: mark.GetUnsettled(),
		}
	}
	return x, nil
}

package record

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	storagev1 "github.com/headrace/headrace/gen/go/headrace/storage/v1"
	"github.com/headrace/headrace/storage"
)

// Shard is the one record of the shard itself.
type Shard struct {
	// Epoch is the last owner's. It grows by each opening.
	Epoch uint64
	// Clean: the last owner stopped in order. The first batch after an opening
	// clears it.
	Clean bool
	// NextTopic and NextSubscription are the ids given next: ids are never reused.
	NextTopic        storage.TopicID
	NextSubscription storage.SubscriptionID
	// AcceptedLosses are gaps in the batch chain that an operator accepted, oldest
	// first.
	AcceptedLosses []AcceptedLoss
}

// AcceptedLoss is a gap in the batch chain that an operator accepted.
type AcceptedLoss struct {
	// First and Last are the numbers of the missing batches.
	First, Last uint64
	// At is when it was accepted.
	At time.Time
}

// AppendShard appends the value of the shard's record.
func AppendShard(dst, key []byte, s *Shard) ([]byte, error) {
	m := &storagev1.ShardRecord{
		Epoch:              s.Epoch,
		Clean:              s.Clean,
		NextTopicId:        uint32(s.NextTopic),
		NextSubscriptionId: uint32(s.NextSubscription),
	}
	for _, l := range s.AcceptedLosses {
		m.AcceptedLosses = append(m.AcceptedLosses, &storagev1.AcceptedLoss{
			FirstBatch: l.First, LastBatch: l.Last, AcceptTime: timestamppb.New(l.At),
		})
	}
	return appendMessage(dst, key, m)
}

// DecodeShard decodes and checks the shard's record.
func DecodeShard(key, value []byte) (Shard, error) {
	if err := checkKey(key, KindShard, shardKeyBytes); err != nil {
		return Shard{}, err
	}
	var m storagev1.ShardRecord
	if err := decodeMessage(key, value, &m); err != nil {
		return Shard{}, err
	}
	s := Shard{
		Epoch:            m.GetEpoch(),
		Clean:            m.GetClean(),
		NextTopic:        storage.TopicID(m.GetNextTopicId()),
		NextSubscription: storage.SubscriptionID(m.GetNextSubscriptionId()),
	}
	for _, l := range m.GetAcceptedLosses() {
		s.AcceptedLosses = append(s.AcceptedLosses, AcceptedLoss{
			First: l.GetFirstBatch(), Last: l.GetLastBatch(), At: l.GetAcceptTime().AsTime(),
		})
	}
	return s, nil
}

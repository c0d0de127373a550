package record

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/headrace/headrace/storage"
)

// TestKeysSortByTheirFields: bytes compare as the fields do, first field first.
func TestKeysSortByTheirFields(t *testing.T) {
	numbers := []uint64{0, 1, 255, 256, 65535, 1 << 16, 1 << 31, 1<<32 - 1}
	big := append(slices.Clone(numbers), 1<<32, 1<<56, 1<<64-1)
	var segments, pointers, acks, histories, dead, sessions [][]byte
	for _, a := range big {
		for _, b := range []uint16{0, 1, 256, 65535} {
			segments = append(segments, AppendSegmentKey(nil, a, b))
		}
	}
	for _, topic := range numbers {
		for _, partition := range []uint16{0, 1, 256, 65535} {
			for _, base := range big {
				p := storage.PartitionID{Topic: storage.TopicID(topic), Partition: partition}
				pointers = append(pointers, AppendPointerKey(nil, p, storage.Offset(base)))
				s := storage.SubscriptionID(topic)
				histories = append(histories, AppendHistoryKey(nil, HistoryKey{s, partition, base, storage.Offset(base)}))
				for _, part := range []uint8{0, 1, 255} {
					acks = append(acks, AppendAckKey(nil, AckKey{
						Subscription: s, Partition: partition, Generation: base, Chunk: base, Part: part,
					}))
				}
			}
		}
	}
	for _, s := range numbers {
		for _, sequence := range big {
			dead = append(dead, AppendDeadLetterKey(nil, storage.SubscriptionID(s), storage.DeadLetterID{Sequence: sequence}))
		}
	}
	for _, s := range numbers {
		for _, b := range []byte{0, 1, 255} {
			for _, slot := range []uint32{0, 1, 256, 1 << 31} {
				k := SessionPageKey{storage.SubscriptionID(s), storage.SessionKey{b}, slot}
				sessions = append(sessions, AppendSessionKey(nil, k))
			}
		}
	}
	for name, keys := range map[string][][]byte{"l": sessions, "s": segments, "m": pointers, "a": acks, "r": histories, "q": dead} {
		if !slices.IsSortedFunc(keys, bytes.Compare) {
			t.Errorf("keys of %s do not sort by their fields", name)
		}
	}
}

func TestKeysParseToTheirFields(t *testing.T) {
	for range 1000 {
		p := storage.PartitionID{Topic: storage.TopicID(rand.Uint32()), Partition: uint16(rand.Uint32())}
		s, o := storage.SubscriptionID(rand.Uint32()), storage.Offset(rand.Uint64())
		ack := AckKey{Subscription: s, Partition: p.Partition, Generation: rand.Uint64(), Chunk: rand.Uint64(), Part: uint8(rand.Uint32())}

		slot, err := ParseBatchKey(AppendBatchKey(nil, uint64(o)))
		check(t, "b", err == nil && uint64(slot) == uint64(o)%BatchRing)
		batch, chunk, err := ParseSegmentKey(AppendSegmentKey(nil, uint64(o), p.Partition))
		check(t, "s", err == nil && batch == uint64(o) && chunk == p.Partition)
		gotP, gotO, err := ParsePointerKey(AppendPointerKey(nil, p, o))
		check(t, "m", err == nil && gotP == p && gotO == o)
		gotP, err = ParsePartitionKey(AppendPartitionKey(nil, p))
		check(t, "p", err == nil && gotP == p)
		gotS, gotPart, err := ParseCursorKey(AppendCursorKey(nil, s, p.Partition))
		check(t, "c", err == nil && gotS == s && gotPart == p.Partition)
		gotAck, err := ParseAckKey(AppendAckKey(nil, ack))
		check(t, "a", err == nil && gotAck == ack)
		history := HistoryKey{Subscription: s, Partition: p.Partition, Generation: rand.Uint64(), Offset: o}
		gotHistory, err := ParseHistoryKey(AppendHistoryKey(nil, history))
		check(t, "r", err == nil && gotHistory == history)
		parked := ParkedKeyKey{Subscription: s, Partition: p.Partition, Generation: rand.Uint64(), Hash: rand.Uint32()}
		gotParked, err := ParseParkedKey(AppendParkedKey(nil, parked))
		check(t, "k", err == nil && gotParked == parked)
		dead := storage.DeadLetterID{Sequence: uint64(o), Partition: p.Partition}
		gotS, gotDead, err := ParseDeadLetterKey(AppendDeadLetterKey(nil, s, dead))
		check(t, "q", err == nil && gotS == s && gotDead == dead)
		page := SessionPageKey{Subscription: s, Session: storage.SessionKey{byte(o), 15: byte(s)}, Slot: rand.Uint32()}
		gotPage, err := ParseSessionKey(AppendSessionKey(nil, page))
		check(t, "l", err == nil && gotPage == page)
		gotT, err := ParseTopicKey(AppendTopicKey(nil, p.Topic))
		check(t, "t", err == nil && gotT == p.Topic)
		gotS, err = ParseSubscriptionKey(AppendSubscriptionKey(nil, s))
		check(t, "u", err == nil && gotS == s)
	}
}

func check(t *testing.T, kind string, ok bool) {
	t.Helper()
	if !ok {
		t.Errorf("key of kind %s does not parse to its fields", kind)
	}
}

// TestPrefixesCoverTheirKeysOnly: each prefix is a prefix of its own keys, and of
// no neighbour's.
func TestPrefixesCoverTheirKeysOnly(t *testing.T) {
	p := storage.PartitionID{Topic: 7, Partition: 255}
	next := storage.PartitionID{Topic: 7, Partition: 256}
	for name, c := range map[string]struct{ prefix, own, other []byte }{
		"pointers":  {AppendPointerPrefix(nil, p), AppendPointerKey(nil, p, 1<<63), AppendPointerKey(nil, next, 0)},
		"partition": {AppendPartitionPrefix(nil, 7), AppendPartitionKey(nil, p), AppendPartitionKey(nil, storage.PartitionID{Topic: 8})},
		"cursors":   {AppendCursorPrefix(nil, 7), AppendCursorKey(nil, 7, 1), AppendCursorKey(nil, 8, 1)},
		"acks":      {AppendAckPrefix(nil, 7, 1, 2), AppendAckKey(nil, AckKey{7, 1, 2, 3, 4}), AppendAckKey(nil, AckKey{7, 1, 3, 3, 4})},
		"ack chunks of a subscription": {
			AppendAckSubscriptionPrefix(nil, 7), AppendAckKey(nil, AckKey{7, 1, 2, 3, 4}), AppendAckKey(nil, AckKey{8, 1, 2, 3, 4}),
		},
		"parked keys": {
			AppendParkedPrefix(nil, 7, 1, 2), AppendParkedKey(nil, ParkedKeyKey{7, 1, 2, 3}), AppendParkedKey(nil, ParkedKeyKey{7, 1, 3, 3}),
		},
		"sessions of a subscription": {
			AppendSessionSubscriptionPrefix(nil, 7), AppendSessionKey(nil, SessionPageKey{Subscription: 7}), AppendSessionKey(nil, SessionPageKey{Subscription: 8}),
		},
		"kind": {AppendPrefix(nil, KindTopic), AppendTopicKey(nil, 1), AppendSubscriptionKey(nil, 1)},
	} {
		if !bytes.HasPrefix(c.own, c.prefix) || bytes.HasPrefix(c.other, c.prefix) {
			t.Errorf("prefix of %s", name)
		}
	}
}

func TestBatchNumbersShareARing(t *testing.T) {
	if !bytes.Equal(AppendBatchKey(nil, 5), AppendBatchKey(nil, 5+BatchRing)) {
		t.Error("a number and the one a ring later have different keys")
	}
	if bytes.Equal(AppendBatchKey(nil, 5), AppendBatchKey(nil, 4+BatchRing)) {
		t.Error("neighbours in the ring have the same key")
	}
}

func TestReservedLettersAreNotUsed(t *testing.T) {
	for kind := range decoders {
		if strings.ContainsRune(Reserved, rune(kind)) {
			t.Errorf("%q is both used and reserved", byte(kind))
		}
	}
}

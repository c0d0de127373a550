package record

import (
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
)

// The samples whose bytes are golden and which round-trip.
var (
	sampleTime      = time.Date(2026, 3, 4, 5, 6, 7, 89, time.UTC)
	samplePartition = storage.PartitionID{Topic: 0x01020304, Partition: 0x0506}

	sampleHeader  = Header{Number: 0x40003, Epoch: 7, Previous: 0x1122334455667788, Ops: 5, Messages: 9}
	samplePointer = Pointer{
		Span: 3, Messages: 3, Bytes: 300,
		At:      Location{Batch: 0x40003, Chunk: 2, FirstByte: 1000, FirstMessage: 10},
		LogTime: sampleTime, Before: Totals{Messages: 90, Bytes: 9000},
	}
	sampleHole = Pointer{
		Hole: true, Span: 1 << 20, Messages: 12, Bytes: 1200,
		LogTime: sampleTime, Before: Totals{Messages: 90, Bytes: 9000},
	}
	sampleRecord = Partition{
		Generation: 1,
		First:      Mark{Offset: 10, LogTime: sampleTime, Before: Totals{Messages: 8, Bytes: 800}},
		Head:       Mark{Offset: 20, LogTime: sampleTime.Add(time.Second), Before: Totals{Messages: 18, Bytes: 1800}},
		HeadBatch:  0x40003,
		Holes:      Holes{Number: 2, Totals: Totals{Messages: 5, Bytes: 500}},
	}
	sampleCursor = Cursor{
		Generation: 2, Floor: 4100, Settled: 33, AckParts: 3,
		AckSum: 0x0102030405060708, Dead: 2, DeadSum: 0x1122, DeadLast: 5,
		Counters: storage.Counters{Delivered: 70, Redelivered: 6, Acked: 60, Retried: 3, Released: 2, Expired: 1, Rejected: 4, DeadLettered: 5,
			Removed: 7, Dropped: 8},
	}
	sampleFailures = []storage.Failure{
		{Time: sampleTime, Client: "worker-1", Kind: storage.FailureRetried, Code: "db", Reason: "no connection"},
		{Kind: storage.FailureLost},
	}
	sampleHistoryKey = HistoryKey{Subscription: 0x0a0b0c0d, Partition: 0x0506, Generation: 2, Offset: 4099}
	sampleParkedKey  = ParkedKeyKey{Subscription: 0x0a0b0c0d, Partition: 0x0506, Generation: 2, Hash: 0xdeadbeef}
	sampleParked     = ParkedKey{Version: 0x40003, Since: sampleTime, Key: "customer-7"}
	sampleHistory    = History{Version: 0x40003, Failures: sampleFailures}
	sampleDeadLetter = storage.DeadLetter{
		Sequence: 77, Partition: 0x0506, Offset: 4099, LogTime: sampleTime, DeadTime: sampleTime.Add(time.Hour),
		Reason: storage.DeadAttempts, Failed: 15, Expired: 1, Lost: 2, Failures: sampleFailures,
		Key: storage.KeyHash{Hash: 0xdeadbeef, Present: true}, Message: []byte("wire bytes"),
	}
	sampleTopic = storage.Topic{
		ID: 0x01020304, Name: "default/quakes", Partitions: 256, State: storage.Active,
		CreatedAt: sampleTime, MinAge: 10 * time.Minute, Definition: []byte("opaque"),
		DedupeWindow: storage.DefaultDedupeWindow, DedupeIDs: storage.DefaultDedupeIDs,
	}
	sampleProducer      = storage.NewProducerID("orders-loader")
	sampleProducerTopic = ProducerTopic{Highest: 5000, Page: 4099}
	sampleProducerPage  = ProducerPage{
		Number: 4100,
		Outcomes: []PageOutcome{
			{Topic: sampleTopic.ID, Previous: 4099, ProducerOutcome: storage.ProducerOutcome{
				First: 4990, Count: 11, Hash: 0x0102030405060708,
				Parts: []storage.BatchPart{
					{Count: 3, Fate: storage.Stored, Partition: 2, Offset: 70_000},
					{Count: 1, Fate: storage.Stored, Partition: 300, Offset: 8},
					{Count: 1, Fate: storage.Stored, Partition: 0, Offset: 0},
					{Count: 2, Fate: storage.Stored, Partition: 2, Offset: 70_003},
					{Count: 1, Fate: storage.Refused, Refusal: storage.Refusal{Reason: 4, Field: 1, Limit: 1 << 20}},
					{Count: 1, Fate: storage.Duplicate, Partition: 0, Offset: 9},
					{Count: 2, Fate: storage.Stored, Partition: 0, Offset: 1},
				},
			}},
			{Topic: 1, ProducerOutcome: storage.ProducerOutcome{
				First: 1, Count: 1, Hash: 2, Parts: []storage.BatchPart{{Count: 1, Fate: storage.Stored, Offset: 77}},
			}},
		},
	}
	sampleDedupe = Dedupe{
		At: sampleTime, Previous: 0x40001,
		IDs: []DedupeEntry{{Hash: 1, Payload: 2, Offset: 900}, {Hash: 1 << 63, Payload: 0, Offset: 901}, {Hash: 5, Payload: 6, Offset: 1300}},
	}
	sampleSubscription = storage.Subscription{
		ID: 0x0a0b0c0d, Name: "default/alerts", Topic: 0x01020304, State: storage.Creating,
		CreatedAt: sampleTime, Definition: []byte("opaque"),
	}
	sampleSessionKey    = SessionPageKey{Subscription: 0x0a0b0c0d, Session: storage.SessionKey{1, 2, 3, 15: 16}}
	sampleSessionRecord = storage.SessionRecord{ClientID: "worker-1", Sent: 70, Charged: 7000, Applied: 12}
	sampleSettles       = []storage.SettleFailure{{Number: 11, First: 3, Last: 5, Reason: 2}, {Number: 12, First: 9, Last: 9, Reason: 1}}
	sampleHeldBlock     = storage.HeldBlock{
		Slot: 7, First: 60, Live: 0b1011, Started: 0b11, Until: 1_772_600_767_123,
		Runs: []storage.HeldRun{
			{Partition: 0x0506, Generation: 2, First: 4099, Count: 3}, {Partition: storage.ReplayPartition, Generation: 1, First: 8, Count: 1},
		},
		Sizes: []uint32{100, 200, 1 << 20, 3},
	}
	sampleShard = Shard{
		Epoch: 7, Clean: true, NextTopic: 5, NextSubscription: 6,
		AcceptedLosses: []AcceptedLoss{{First: 3, Last: 4, At: sampleTime}},
	}
)

// encodings gives every kind of key and record under a name.
func encodings(tb testing.TB) map[string][]byte {
	tb.Helper()
	all := map[string][]byte{}
	for name, r := range sampleRecords(tb) {
		all[name+" key"], all[name+" value"] = r.key, r.value
	}
	return all
}

type encoded struct{ key, value []byte }

func sampleRecords(tb testing.TB) map[string]encoded {
	tb.Helper()
	all := map[string]encoded{}
	put := func(name string, key []byte, encode func(key []byte) []byte) {
		all[name] = encoded{key, encode(key)}
	}
	must := func(value []byte, err error) []byte {
		if err != nil {
			tb.Fatal(err)
		}
		return value
	}
	pointerKey := AppendPointerKey(nil, samplePartition, 4096)
	put("b header", AppendBatchKey(nil, sampleHeader.Number), func(k []byte) []byte { return AppendHeader(nil, k, &sampleHeader) })
	put("m pointer", pointerKey, func(k []byte) []byte { return AppendPointer(nil, k, &samplePointer) })
	put("m hole", pointerKey, func(k []byte) []byte { return AppendPointer(nil, k, &sampleHole) })
	put("p partition", AppendPartitionKey(nil, samplePartition), func(k []byte) []byte { return AppendPartition(nil, k, &sampleRecord) })
	put("c cursor", AppendCursorKey(nil, 0x0a0b0c0d, 0x0506), func(k []byte) []byte { return AppendCursor(nil, k, &sampleCursor) })
	put("k parked", AppendParkedKey(nil, sampleParkedKey), func(k []byte) []byte { return AppendParked(nil, k, &sampleParked) })
	put("r history", AppendHistoryKey(nil, sampleHistoryKey), func(k []byte) []byte { return AppendHistory(nil, k, &sampleHistory) })
	put("q dead letter", AppendDeadLetterKey(nil, 0x0a0b0c0d, sampleDeadLetter.ID()), func(k []byte) []byte {
		return AppendDeadLetter(nil, k, &sampleDeadLetter)
	})
	forwarded := sampleDeadLetter
	forwarded.Forward = &storage.Forward{Copy: storage.Append{Partition: samplePartition, Base: 0x40004}, Failure: storage.ForwardBacklogFull}
	put("q forwarded dead letter", AppendDeadLetterKey(nil, 0x0a0b0c0d, forwarded.ID()), func(k []byte) []byte {
		return AppendDeadLetter(nil, k, &forwarded)
	})
	put("t topic", AppendTopicKey(nil, sampleTopic.ID), func(k []byte) []byte { return must(AppendTopic(nil, k, &sampleTopic)) })
	replayable := sampleTopic
	replayable.KeepSettled = 7 * 24 * time.Hour
	put("t topic that keeps", AppendTopicKey(nil, replayable.ID), func(k []byte) []byte { return must(AppendTopic(nil, k, &replayable)) })
	buffered := sampleTopic
	buffered.Buffered = true
	put("t buffered topic", AppendTopicKey(nil, buffered.ID), func(k []byte) []byte { return must(AppendTopic(nil, k, &buffered)) })
	brief := sampleTopic
	brief.DedupeWindow, brief.DedupeIDs = time.Hour, 500
	put("t topic with dedupe", AppendTopicKey(nil, brief.ID), func(k []byte) []byte { return must(AppendTopic(nil, k, &brief)) })
	put("x producer", AppendProducerKey(nil, sampleProducer), func(k []byte) []byte {
		return AppendProducer(nil, k, &Producer{Epoch: 7, UsedAt: sampleTime, Pages: 4100, Tail: 4098, Topics: 3})
	})
	put("x producer's topic", AppendProducerTopicKey(nil, sampleProducer, sampleTopic.ID), func(k []byte) []byte {
		return AppendProducerTopic(nil, k, &sampleProducerTopic)
	})
	put("x producer's page", AppendProducerPageKey(nil, sampleProducer, sampleProducerPage.Number), func(k []byte) []byte {
		return AppendProducerPage(nil, k, &sampleProducerPage)
	})
	put("i dedupe ids", AppendDedupeKey(nil, samplePartition, 0x40003), func(k []byte) []byte { return AppendDedupe(nil, k, &sampleDedupe) })
	put("u subscription", AppendSubscriptionKey(nil, sampleSubscription.ID), func(k []byte) []byte {
		return must(AppendSubscription(nil, k, &sampleSubscription))
	})
	putSession := func(name string, slot uint32, encode func(key []byte) []byte) {
		k := sampleSessionKey
		k.Slot = slot
		put(name, AppendSessionKey(nil, k), encode)
	}
	putSession("l session", 0, func(k []byte) []byte { return AppendSession(nil, k, 0x40003, &sampleSessionRecord) })
	putSession("l block", sampleHeldBlock.Slot, func(k []byte) []byte { return AppendHeldBlock(nil, k, 0x40003, &sampleHeldBlock) })
	keyed := sampleHeldBlock
	keyed.Keys = []storage.KeyHash{{Hash: 0xdeadbeef, Present: true}, {}, {Present: true}, {Hash: 1, Present: true}}
	putSession("l keyed block", sampleHeldBlock.Slot, func(k []byte) []byte { return AppendHeldBlock(nil, k, 0x40003, &keyed) })
	putSession("l failures", FailureSlots+1, func(k []byte) []byte { return AppendSessionFailures(nil, k, 0x40003, sampleSettles) })
	put("l sessions", AppendSessionKey(nil, SessionPageKey{Subscription: 0x0a0b0c0d}), func(k []byte) []byte {
		return AppendSessions(nil, k, Sessions{Pages: 3, Sum: 0x0102030405060708})
	})
	kept := sampleSubscription
	kept.Snapshot = &storage.SnapshotMark{ExpiresAt: sampleTime.Add(time.Hour), Of: "default/alerts", Unsettled: 77}
	put("u snapshot", AppendSubscriptionKey(nil, kept.ID), func(k []byte) []byte { return must(AppendSubscription(nil, k, &kept)) })
	put("z shard", AppendShardKey(nil), func(k []byte) []byte { return must(AppendShard(nil, k, &sampleShard)) })
	put("s plain segment", AppendSegmentKey(nil, 0x40003, 2), func(k []byte) []byte { return buildSegment(k, plainAppends()) })
	put("s keyed segment", AppendSegmentKey(nil, 0x40003, 3), func(k []byte) []byte { return buildSegment(k, keyedAppends()) })
	for name, c := range map[string]storage.Chunk{"a runs": runsChunk(), "a bitmap": bitmapChunk()} {
		part := SplitChunk(nil, &c, 11)[0]
		put(name, sampleAckKey(&part), func(k []byte) []byte { return AppendAckPart(nil, k, &part) })
	}
	second := SplitChunk(nil, new(attemptsChunk(2000)), 12)[1]
	put("a second part", sampleAckKey(&second), func(k []byte) []byte { return AppendAckPart(nil, k, &second) })
	return all
}

func sampleAckKey(p *AckPart) []byte {
	return AppendAckKey(nil, AckKey{Subscription: 0x0a0b0c0d, Partition: 0x0506, Generation: 2, Chunk: p.Chunk, Part: p.Part})
}

// runsChunk is an ack chunk with a few runs and attempts.
func runsChunk() storage.Chunk {
	return storage.Chunk{
		Index:    1,
		Acked:    []storage.OffsetRange{{First: 4096, End: 4097}, {First: 4100, End: 4200}, {First: 8191, End: 8192}},
		Attempts: []storage.AttemptCount{{Offset: 4098, Failed: 1}, {Offset: 4099, Failed: 3, Expired: 200, Lost: 7, Charged: 2, Dead: storage.DeadRejected, NotBefore: 1_772_600_767_123}},
	}
}

// bitmapChunk is an ack chunk with every other offset acked.
func bitmapChunk() storage.Chunk {
	c := storage.Chunk{Index: 2}
	for o := storage.Offset(8192); o < 12288; o += 2 {
		c.Acked = append(c.Acked, storage.OffsetRange{First: o, End: o + 1})
	}
	return c
}

// attemptsChunk is an ack chunk with n attempts.
func attemptsChunk(n int) storage.Chunk {
	c := storage.Chunk{Index: 3}
	for i := range n {
		c.Attempts = append(c.Attempts, storage.AttemptCount{Offset: storage.Offset(3*4096 + i), Failed: 1, Expired: uint32(i)})
	}
	return c
}

// plainAppends are two appends to different partitions, and one that continues the
// second.
func plainAppends() []storage.Append {
	other := storage.PartitionID{Topic: 9, Partition: 1}
	return []storage.Append{
		{Partition: samplePartition, Base: 4096, Messages: []byte("aabbb"), Ends: []uint32{2, 5}},
		{Partition: other, Base: 0, Messages: []byte("c"), Ends: []uint32{1}},
		{Partition: other, Base: 1, Messages: []byte("dde"), Ends: []uint32{2, 3}},
	}
}

// keyedAppends are a run with keys between two without.
func keyedAppends() []storage.Append {
	all := plainAppends()
	all[1].Partition.Topic = 8
	all[1].KeyHashes = []storage.KeyHash{{Hash: 0xdeadbeef, Present: true}}
	return all
}

func buildSegment(key []byte, appends []storage.Append) []byte {
	var b SegmentBuilder
	for i := range appends {
		b.Add(&appends[i], 0, sampleTime)
	}
	return b.Finish(key)
}

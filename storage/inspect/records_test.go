package inspect_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/inspect"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// orders and billing are the ids of the topic and the subscription in a store.
const (
	orders  = storage.TopicID(1)
	billing = storage.SubscriptionID(1)
	// messages is how many the first partition has.
	messages = 10
)

// stopped gives a disk with a store that was stopped in order: ten messages, each
// in a batch of its own, and a subscription with ack state.
func stopped(t *testing.T) *storagetest.Disk {
	t.Helper()
	disk := storagetest.NewDisk()
	h := storagetest.NewStoreHarness(t, func(testing.TB) storage.Engine { return open(t, disk) }, shardlog.Options{})
	h.Damaged = true // The test does as it likes with the disk.
	topic := h.MustCreateTopic("orders", 2)
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	for i := range messages {
		h.MustPublish(storage.PartitionID{Topic: topic.ID}, strconv.Itoa(i))
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{
		Floor: 2, Chunks: []storage.Chunk{{Acked: []storage.OffsetRange{{First: 5, End: 6}}}},
	}}, Sessions: []storage.SessionChange{{Written: true, Key: storage.SessionKey{7}}}})
	h.Stop()
	h.Store = nil
	return disk
}

func open(t *testing.T, disk *storagetest.Disk) *storagetest.Memory {
	t.Helper()
	engine, err := storagetest.OpenMemory(disk)
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func inspected(t *testing.T, disk *storagetest.Disk) *inspect.Report {
	t.Helper()
	engine := open(t, disk)
	defer func() { _ = engine.Close() }()
	return inspect.Records(engine, engine.Ledger())
}

func TestAWholeStoreHasNoFindings(t *testing.T) {
	r := inspected(t, stopped(t))
	if len(r.Findings) != 0 || r.Err() != nil {
		t.Errorf("findings %v", r.Findings)
	}
	if r.Topics != 1 || r.Subscriptions != 1 || r.Partitions != 2 || r.Messages != messages || !r.Clean || r.Epoch != 1 {
		t.Errorf("%+v", r)
	}
}

func flip(value []byte) []byte {
	value[len(value)/2] ^= 1
	return value
}

// TestEachDamageIsNamed: what is wrong is named by what an operator knows.
func TestEachDamageIsNamed(t *testing.T) {
	pointer := record.AppendPointerKey(nil, storage.PartitionID{Topic: orders}, 4)
	segment := func(t *testing.T, d *storagetest.Disk) []byte {
		t.Helper()
		engine := open(t, d)
		defer func() { _ = engine.Close() }()
		var key []byte
		err := engine.View(func(r storage.Reader) error {
			return r.Get(pointer, func(value []byte) error {
				x, err := record.DecodePointer(pointer, value)
				key = record.AppendSegmentKey(nil, x.At.Batch, x.At.Chunk)
				return err
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	fixed := func(key []byte) func(*testing.T, *storagetest.Disk) []byte {
		return func(*testing.T, *storagetest.Disk) []byte { return key }
	}
	ack := record.AppendAckKey(nil, record.AckKey{Subscription: billing, Generation: 1})
	for _, test := range []struct {
		name    string
		key     func(*testing.T, *storagetest.Disk) []byte
		flipped string // what the finding of a flipped bit says
		dropped string // what that of a missing record says
	}{
		{"batch header", fixed(record.AppendBatchKey(nil, 5)), "checksum does not match", "batch 5: missing"},
		{"pointer", fixed(pointer), "topic orders, partition 0, offset 4: storage: data loss", "topic orders, partition 0, offset 4: nothing says"},
		{"segment", segment, "topic orders, partition 0, offset 4, batch", "topic orders, partition 0, offset 4, batch"},
		{
			"partition", fixed(record.AppendPartitionKey(nil, storage.PartitionID{Topic: orders})),
			"topic orders, partition 0: storage: data loss", "topic orders, partition 0: the partition's record is missing",
		},
		{"topic", fixed(record.AppendTopicKey(nil, orders)), "topic #1: storage: data loss", "a partition without a topic"},
		{
			"subscription", fixed(record.AppendSubscriptionKey(nil, billing)),
			"subscription #1: storage: data loss", "subscription #1, partition 0: storage: data loss: a cursor without",
		},
		{
			"cursor", fixed(record.AppendCursorKey(nil, billing, 0)),
			"topic orders, subscription billing, partition 0: storage: data loss", "topic orders, subscription billing, partition 0: the cursor is missing",
		},
		{
			"ack chunk", fixed(ack),
			"topic orders, subscription billing, partition 0, offsets 0-4095: storage: data loss",
			"topic orders, subscription billing, partition 0: 0 ack records",
		},
		{
			"session", fixed(record.AppendSessionKey(nil, record.SessionPageKey{Subscription: billing, Session: storage.SessionKey{7}})),
			"topic orders, subscription billing, partition 0: storage: data loss",
			"topic orders, subscription billing, partition 0: 0 pages of sessions",
		},
		{
			"count of sessions", fixed(record.AppendSessionKey(nil, record.SessionPageKey{Subscription: billing})),
			"topic orders, subscription billing, partition 0: storage: data loss",
			"topic orders, subscription billing, partition 0: 1 pages of sessions",
		},
		{"shard", fixed(record.AppendShardKey(nil)), "checksum does not match", "the store's own record is missing"},
	} {
		t.Run(test.name+" with a flipped bit", func(t *testing.T) {
			disk := stopped(t)
			disk.Corrupt(test.key(t, disk), flip)
			wants(t, inspected(t, disk), test.flipped)
		})
		t.Run(test.name+" missing", func(t *testing.T) {
			disk := stopped(t)
			disk.Drop(test.key(t, disk))
			wants(t, inspected(t, disk), test.dropped)
		})
	}
}

// wants looks for a finding of damage that says so.
func wants(t *testing.T, r *inspect.Report, text string) {
	t.Helper()
	if r.Worst != inspect.Damage {
		t.Errorf("worst finding %v", r.Worst)
	}
	for _, f := range r.Of(inspect.Damage) {
		if strings.Contains(f.String(), text) {
			return
		}
	}
	t.Errorf("no finding says %q:", text)
	for i := range r.Findings {
		t.Log(r.Findings[i].String())
	}
}

func TestALostTailIsFoundByTheLedger(t *testing.T) {
	disk := stopped(t)
	disk.Rewind(3)
	wants(t, inspected(t, disk), "in the commit ledger, and missing")
}

func TestABatchThatIsNotTheLedgersIsNamed(t *testing.T) {
	disk := stopped(t)
	disk.EditLedger(func(l []storage.LedgerEntry) []storage.LedgerEntry {
		l[4].Hash++
		return l
	})
	wants(t, inspected(t, disk), "batch 5: another batch than in the commit ledger")
}

// TestAnAcceptedLossIsNoBreak: what an operator accepted as lost is only noted.
func TestAnAcceptedLossIsNoBreak(t *testing.T) {
	var c inspect.Chain
	previous := uint64(0)
	for n := uint64(1); n <= 9; n++ {
		h := record.Header{Number: n, Epoch: 1, Previous: previous}
		previous = h.Hash()
		if n < 4 || n > 6 {
			c.Add(h)
		}
	}
	if got := c.Breaks(nil); len(got) != 1 || got[0] != (inspect.Break{First: 4, Last: 6, Missing: true}) {
		t.Errorf("breaks %+v", got)
	}
	if got := c.Breaks([]record.AcceptedLoss{{First: 4, Last: 6}}); len(got) != 0 {
		t.Errorf("breaks %+v after the loss was accepted", got)
	}
}

func TestAReportIsBounded(t *testing.T) {
	var r inspect.Report
	for range 1500 {
		r.Add(inspect.Finding{Severity: inspect.Warning})
	}
	r.Add(inspect.Finding{Severity: inspect.Damage})
	if len(r.Findings) != 1000 || r.More != 501 || r.Worst != inspect.Damage {
		t.Errorf("%d findings, %d more, worst %v", len(r.Findings), r.More, r.Worst)
	}
}

package shardlog_test

import (
	"errors"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/storagetest"
)

// TestDamageOfAProducerFencesThatOne: whoever cannot be vouched for is refused, and
// the others are served.
func TestDamageOfAProducerFencesThatOne(t *testing.T) {
	id := storage.NewProducerID("loader")
	for name, spoil := range map[string]func(d *storagetest.Disk, topic storage.TopicID){
		"its record is damaged": func(d *storagetest.Disk, _ storage.TopicID) {
			d.Corrupt(record.AppendProducerKey(nil, id), flip)
		},
		"its record is missing": func(d *storagetest.Disk, _ storage.TopicID) {
			d.Drop(record.AppendProducerKey(nil, id))
		},
		"how far it has come is damaged": func(d *storagetest.Disk, topic storage.TopicID) {
			d.Corrupt(record.AppendProducerTopicKey(nil, id, topic), flip)
		},
		"how far it has come is missing": func(d *storagetest.Disk, topic storage.TopicID) {
			d.Drop(record.AppendProducerTopicKey(nil, id, topic))
		},
		"its last page is damaged": func(d *storagetest.Disk, _ storage.TopicID) {
			d.Corrupt(record.AppendProducerPageKey(nil, id, 3), flip)
		},
		"its last page is missing": func(d *storagetest.Disk, _ storage.TopicID) {
			d.Drop(record.AppendProducerPageKey(nil, id, 3))
		},
		"a page of its tail is missing": func(d *storagetest.Disk, _ storage.TopicID) {
			d.Drop(record.AppendProducerPageKey(nil, id, 2))
		},
		"a page of its tail is of another time": func(d *storagetest.Disk, _ storage.TopicID) {
			d.Corrupt(record.AppendProducerPageKey(nil, id, 3), func([]byte) []byte { return otherPage(id, 3) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, m := memoryStore(t)
			disk := m.Disk()
			to := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
			p := h.MustOpenProducer("loader")
			for i := range uint64(3) {
				if err := h.Publish(storagetest.Produced(p, to, i+1, "a")); err != nil {
					t.Fatal(err)
				}
			}
			h.Damaged = true
			h.Crash()
			spoil(disk, to.Topic)
			h.Open()
			if _, err := h.OpenProducer(t.Context(), id); !errors.Is(err, storage.ErrDataLoss) {
				t.Errorf("opened: %v", err)
			}
			if err := h.Publish(storagetest.Produced(h.MustOpenProducer("another"), to, 1, "b")); err != nil {
				t.Errorf("another producer: %v", err)
			}
		})
	}
}

// otherPage is a page of the slot of a number, a ring away from it.
func otherPage(id storage.ProducerID, number uint64) []byte {
	p := record.ProducerPage{Number: number + storage.ProducerPages, Outcomes: []record.PageOutcome{{
		Topic: 1, ProducerOutcome: storage.ProducerOutcome{First: 1, Count: 1, Parts: []storage.BatchPart{{Count: 1, Fate: storage.Stored}}},
	}}}
	return record.AppendProducerPage(nil, record.AppendProducerPageKey(nil, id, number), &p)
}

// TestAMissingOutcomeIsNoForgottenOne: a page that must be there is damage.
func TestAMissingOutcomeIsNoForgottenOne(t *testing.T) {
	h, m := memoryStore(t)
	disk := m.Disk()
	to := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	p := h.MustOpenProducer("loader")
	for i := range uint64(3) {
		if err := h.Publish(storagetest.Produced(p, to, i+1, "a")); err != nil {
			t.Fatal(err)
		}
	}
	h.Damaged = true
	disk.Drop(record.AppendProducerPageKey(nil, p.ID, 2))
	if _, _, err := h.ProducerOutcomes(p.ID, to.Topic, 2); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("outcome: %v", err)
	}
	if _, err := storagetest.CheckStore(h.Engine); err == nil {
		t.Error("the check of the store finds nothing")
	}
}

// TestDamageOfDedupeIDsFencesTheirPartition: what it would take in might be there
// already.
func TestDamageOfDedupeIDsFencesTheirPartition(t *testing.T) {
	h, m := memoryStore(t)
	disk := m.Disk()
	topic, err := h.CreateTopic(t.Context(), storage.Topic{
		Name: "orders", Partitions: 2, DedupeWindow: storage.DefaultDedupeWindow, DedupeIDs: storage.DefaultDedupeIDs,
	})
	if err != nil {
		t.Fatal(err)
	}
	to := storage.PartitionID{Topic: topic.ID}
	for i := range 3 {
		a := storagetest.NewAppend(to, "a")
		a.DedupeIDs = []storage.DedupeID{{Hash: uint64(i), Present: true}}
		if err := h.Publish(&storage.Publish{Appends: []storage.Append{a}}); err != nil {
			t.Fatal(err)
		}
	}
	h.Damaged = true
	h.Crash()
	disk.Drop(record.AppendDedupeKey(nil, to, lastBatch(t, disk)-1))
	h.Open()
	if err := h.Publish(&storage.Publish{Appends: []storage.Append{storagetest.NewAppend(to, "b")}}); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("publish to it: %v", err)
	}
	h.MustPublish(storage.PartitionID{Topic: topic.ID, Partition: 1}, "c")
}

package broker

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/storage"
)

func TestKeyedBatchIsDividedByPartition(t *testing.T) {
	r := newRoom(t, 8, nil)
	b := r.batch()
	want := map[string]uint16{}
	for i := range 100 {
		key := fmt.Sprintf("key%d", i%13)
		b.add(fmt.Sprintf("%s:%03d", key, i), key)
		want[key] = uint16(keyPartition(HashKey([]byte(key)), 8))
	}
	if err := r.Publish(t.Context(), b); err != nil || b.Err != nil {
		t.Fatal(err, b.Err)
	}
	at := 0
	for _, run := range b.Runs {
		if run.Index != at {
			t.Fatalf("run at message %d, want %d", run.Index, at)
		}
		for i := range run.Count {
			key := fmt.Sprintf("key%d", at%13)
			if run.Partition != want[key] {
				t.Errorf("message %d with %s is in partition %d, want %d", at, key, run.Partition, want[key])
			}
			body := r.store.body(storage.PartitionID{Topic: b.Topic.topic.id, Partition: run.Partition}, run.Offset+storage.Offset(i))
			if wantBody := fmt.Sprintf("%s:%03d", key, at); body != wantBody {
				t.Errorf("message %d is %q at its position, want %q", at, body, wantBody)
			}
			at++
		}
	}
	if at != 100 {
		t.Errorf("runs tell of %d messages", at)
	}
}

func TestMixedBatchKeepsKeysAndHashes(t *testing.T) {
	b := NewPublishBatch()
	b.add("a", "")
	b.add("b", "k")
	b.add("c", "")
	want := []storage.KeyHash{{}, HashKey([]byte("k")), {}}
	if diff := cmp.Diff(want, b.KeyHashes); diff != "" {
		t.Error(diff)
	}
	unkeyed := NewPublishBatch()
	unkeyed.add("a", "")
	if len(unkeyed.KeyHashes) != 0 {
		t.Errorf("a batch without keys has hashes %v", unkeyed.KeyHashes)
	}
}

func TestUnkeyedBatchGoesToTheLeastLoadedPartition(t *testing.T) {
	r := newRoom(t, 4, nil)
	r.store.hold()
	p, err := r.OpenPublisher("")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var used []uint16
	for range 8 {
		b := r.batch("0123456789")
		if err := p.Publish(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		used = append(used, b.publish.Appends[0].Partition.Partition)
	}
	counts := map[uint16]int{}
	for _, partition := range used {
		counts[partition]++
	}
	if diff := cmp.Diff(map[uint16]int{0: 2, 1: 2, 2: 2, 3: 2}, counts); diff != "" {
		t.Errorf("unfinished batches lie unevenly: %v", used)
	}
	r.store.release()
}

func TestPublishingWithoutKeysAllocatesNothingPerMessage(t *testing.T) {
	r := newRoom(t, 4, nil)
	topic, err := r.PublishTopic(string(ordersTopic))
	if err != nil {
		t.Fatal(err)
	}
	var b PublishBatch
	allocations := testing.AllocsPerRun(100, func() {
		b.reset()
		b.Topic = topic
		for range 200 {
			b.add("0123456789", "")
		}
		b.assign(storage.KeyHash{})
	})
	if allocations != 0 {
		t.Errorf("200 messages take %v allocations", allocations)
	}
}

// body is what stands at a position.
func (f *fakeStore) body(p storage.PartitionID, at storage.Offset) string {
	f.mu.Lock()
	s := f.segment(p, at)
	f.mu.Unlock()
	defer s.Release()
	return string(s.Range(at, at+1)[2:])
}

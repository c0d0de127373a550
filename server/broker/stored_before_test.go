package broker

import (
	"testing"

	"github.com/headrace/headrace/storage"
)

// outcomeReads is a store that remembers outcomes of one message each and counts how
// often it is asked.
type outcomeReads struct {
	*fakeStore
	outcomes []storage.ProducerOutcome
	reads    int
}

func (s *outcomeReads) ProducerOutcomes(_ storage.ProducerID, _ storage.TopicID, from uint64) (
	next uint64, outcomes []storage.ProducerOutcome, err error,
) {
	s.reads++
	for i := range s.outcomes {
		if s.outcomes[i].Last() >= from {
			return s.outcomes[len(s.outcomes)-1].Last() + 1, s.outcomes[i:], nil
		}
	}
	return 1, nil, nil
}

// TestBatchesSentAgainInARowAreReadOnce: each has its own outcome, and going back to an
// earlier one, or to another topic, reads again.
func TestBatchesSentAgainInARowAreReadOnce(t *testing.T) {
	s := &outcomeReads{}
	for n := range uint64(100) {
		s.outcomes = append(s.outcomes, storage.ProducerOutcome{First: 2*n + 1, Count: 2, Hash: n})
	}
	var before storedBefore
	find := func(topic storage.TopicID, first uint64) {
		t.Helper()
		o, err := before.find(s, &storage.ProducerBatch{Topic: topic, First: first, Count: 2})
		if err != nil || o == nil || o.First != first {
			t.Fatalf("batch %d: %+v, %v", first, o, err)
		}
	}
	for n := range uint64(100) {
		find(1, 2*n+1)
	}
	if s.reads != 1 {
		t.Errorf("%d reads", s.reads)
	}
	find(1, 5)
	find(2, 7)
	if s.reads != 3 {
		t.Errorf("%d reads", s.reads)
	}
	if o, err := before.find(s, &storage.ProducerBatch{Topic: 2, First: 300, Count: 1}); o != nil || err != nil {
		t.Errorf("batch 300: %+v, %v", o, err)
	}
}

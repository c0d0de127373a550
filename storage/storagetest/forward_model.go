package storagetest

import (
	"slices"

	"github.com/headrace/headrace/storage"
)

// goneTopic is the id of a topic that is not there.
const goneTopic storage.TopicID = 1 << 30

// forwardModel is a topic that a dead letter model has some of them forwarded to.
type forwardModel struct {
	to     storage.PartitionID
	bodies []string
}

// newForwardModel makes the topic. A subscription that settles nothing holds all of it.
func newForwardModel(h *StoreHarness) forwardModel {
	topic := h.MustCreateTopic("failed", 1).ID
	h.MustSubscribe("keeper", topic, storage.Start{})
	return forwardModel{to: storage.PartitionID{Topic: topic}}
}

// forward has a dead letter forwarded, or not, or to a topic that is gone.
func (m *deadLetterModel) forward(d *storage.DeadLetter, body string) {
	to := m.forwards.to
	switch m.rand.IntN(6) {
	case 0, 1, 2:
		return
	case 3:
		to.Topic = goneTopic
	default:
	}
	d.Forward = &storage.Forward{Copy: NewAppend(to, body)}
}

// forwarded checks what became of a dead letter's copy, and leaves of it what the store
// keeps.
func (m *deadLetterModel) forwarded(d *storage.DeadLetter) {
	f := d.Forward
	if f == nil {
		return
	}
	to, want := f.Copy.Partition, storage.ForwardFailure(0)
	if to.Topic == goneTopic {
		want = storage.ForwardTopicGone
	}
	if f.Failure != want || want == 0 && f.Copy.Base != storage.Offset(len(m.forwards.bodies)) {
		m.h.t.Errorf("dead letter %d: failure %d, offset %d of %d", d.Sequence, f.Failure, f.Copy.Base, len(m.forwards.bodies))
	}
	if want == 0 {
		whole := storage.Segment{Bytes: f.Copy.Messages, Ends: f.Copy.Ends}
		m.forwards.bodies = append(m.forwards.bodies, BodiesOf(&whole, 0)...)
	}
	d.Forward = &storage.Forward{Copy: storage.Append{Partition: to, Base: f.Copy.Base}, Failure: f.Failure}
}

// compareForwarded: each copy is there once, in order.
func (m *deadLetterModel) compareForwarded() {
	if got := m.h.Bodies(m.forwards.to); !slices.Equal(got, m.forwards.bodies) {
		m.h.t.Errorf("%d messages were forwarded, %d are there, or others", len(m.forwards.bodies), len(got))
	}
}

// removeForwarded deletes the topic with all that it holds.
func (m *deadLetterModel) removeForwarded() {
	for _, s := range m.h.Subscriptions() {
		if s.Topic == m.forwards.to.Topic {
			if err := m.h.DeleteSubscription(m.h.t.Context(), s.ID); err != nil {
				m.h.t.Fatal(err)
			}
		}
	}
	if err := m.h.DeleteTopic(m.h.t.Context(), m.forwards.to.Topic); err != nil {
		m.h.t.Fatal(err)
	}
}

package history

import (
	"slices"
	"testing"
)

// everySecond gives a publisher's messages two keys in turn, and every ninth none.
func everySecond(id MessageID) uint64 {
	if id.Number%9 == 0 {
		return 0
	}
	return 1 + id.Number%2
}

// ordered is a script of a subscription that keeps keys in order, with three messages
// of which the first and the third have one key, and two sessions.
func ordered() *script { return orderedFrom(func(s *script) { s.publish(3) }) }

func orderedFrom(publish func(*script)) *script {
	s := begun(0)
	s.events[len(s.events)-1].Ordered = 1
	publish(s)
	return s.open(1, 10, 9999).open(2, 10, 9999)
}

func checkKeys(s *script) []Violation {
	bounds := theBounds
	bounds.KeyOf = everySecond
	c := NewChecker(bounds)
	for i := range s.events {
		c.Read(&s.events[i])
	}
	return c.Finish()
}

func TestKeysOutOfOrderAreFound(t *testing.T) {
	for name, s := range map[string]*script{
		"two of a key at a time":             ordered().deliver(1, 1, 1).deliver(1, 3, 1),
		"to another session":                 ordered().deliver(1, 1, 1).deliver(2, 3, 1),
		"the second one first":               ordered().deliver(1, 3, 1),
		"behind one that failed":             ordered().deliver(1, 1, 1).settle(1, Retry, 1, 1).deliver(1, 3, 1),
		"behind one that was released":       ordered().deliver(1, 1, 1).settle(1, Release, 1, 1).deliver(2, 3, 1),
		"before it was known what is before": late(),
		"after a restart that lost an ack": ordered().deliver(1, 1, 1).settle(1, Ack, 1, 1).deliver(1, 3, 1).killServer().serve(2).
			open(3, 10, 9999).deliver(3, 1, 1).deliver(3, 3, 1),
	} {
		got := checkKeys(s)
		if !slices.ContainsFunc(got, func(v Violation) bool { return v.Promise == Reordered }) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// late publishes three messages whose results are read after the third one came.
func late() *script {
	s := orderedFrom(func(s *script) { s.attempt(1, 3) }).deliver(1, 3, 1)
	return s.add(Published, Fields{Topic: theTopic, Publisher: thePublisher, Number: 1, Count: 3})
}

func TestKeysInOrderAreLegal(t *testing.T) {
	for name, s := range map[string]*script{
		"one after the other": ordered().deliver(1, 1, 1).deliver(1, 2, 1).settle(1, Ack, 1, 1).deliver(2, 3, 1),
		"after a restart": ordered().deliver(1, 1, 1).settle(1, Ack, 1, 1).deliver(1, 3, 1).killServer().serve(2).
			open(3, 10, 9999).deliver(3, 1, 1).settle(3, Ack, 1, 1).deliver(3, 3, 1),
		"the ack survived the restart": ordered().deliver(1, 1, 1).settle(1, Ack, 1, 1).killServer().serve(2).
			open(3, 10, 9999).deliver(3, 3, 1),
		"no key": orderedFrom(func(s *script) { s.publish(9) }).deliver(1, 9, 1),
		"read late by a session that is over": ordered().deliver(1, 1, 1).settle(1, Ack, 1, 1).killServer().serve(2).
			open(3, 10, 9999).deliver(3, 1, 1).deliver(1, 3, 1),
		"no order": begun(0).publish(3).open(1, 10, 9999).deliver(1, 3, 1).deliver(1, 1, 1),
	} {
		if got := checkKeys(s); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

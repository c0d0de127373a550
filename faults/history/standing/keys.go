package standing

import (
	"slices"

	"github.com/headrace/headrace/faults/history"
)

// keyID names an ordering key: no two publishers share one.
type keyID struct{ publisher, key uint64 }

// key is what is known of an ordering key.
type key struct {
	// messages are known to be stored, in the order of their numbers; none before open is
	// surely live.
	messages []*message
	open     int
	// parked is since when it surely waits to be released; 0: it may not.
	parked history.Instant
}

func (k *key) restart() { k.open, k.parked = 0, 0 }

func (a *Account) keyOf(m *message) *key {
	if a.rules.KeyOf == nil {
		return nil
	}
	number := a.rules.KeyOf(m.id)
	if number == 0 {
		return nil
	}
	id := keyID{m.id.Publisher, number}
	if a.keys[id] == nil {
		a.keys[id] = &key{}
	}
	return a.keys[id]
}

// line notes that a message of a key is stored.
func (a *Account) line(m *message) {
	k := a.keyOf(m)
	if k == nil {
		return
	}
	i, _ := slices.BinarySearchFunc(k.messages, m, func(x, y *message) int { return int(x.id.Number) - int(y.id.Number) })
	k.messages = slices.Insert(k.messages, i, m)
	k.open = min(k.open, i)
}

// checkKey: a message of a key comes when each before it is settled, and not while the
// key is parked. What was redriven goes before all others, also of a parked key.
func (a *Account) checkKey(h *hand, redriven bool) {
	k := a.keyOf(h.message)
	if k == nil || redriven {
		return
	}
	for k.open < len(k.messages) && a.effective(k.messages[k.open]) != live {
		k.open++
	}
	for _, m := range k.messages[k.open:] {
		before := m.id.Number < h.message.id.Number || m.redriven && m != h.message
		if before && a.effective(m) == live && m.since < h.session.opened {
			a.brokenf(history.Reordered, "%s at %s came before %s of its key to %s", h.message.id, h.message.at, m.id, h.session)
			break
		}
	}
	if k.parked > 0 && k.parked < h.session.opened {
		a.brokenf(history.Skipped, "%s at %s of a parked key came to %s", h.message.id, h.message.at, h.session)
	}
}

// reopen: a message may be surely live again.
func (a *Account) reopen(m *message) {
	if k := a.keyOf(m); k != nil {
		k.open = 0
	}
}

// parked: a message of a key was rejected, and its key waits for somebody. One that was
// rejected before a release had ended may have been released.
func (a *Account) parked(h *hand, at history.Instant) {
	o := &a.operator
	if k := a.keyOf(h.message); k != nil && a.rules.Parks && !h.message.redriven && !o.releasing && h.answering > o.released {
		k.parked = at
	}
}

func (a *Account) releasing(e *history.Event) {
	o := &a.operator
	o.releasing = e.Kind == history.KeysReleasing
	if !o.releasing {
		a.counts.Releases++
		o.released = e.At
		return
	}
	for _, k := range a.keys {
		k.parked = 0
	}
}

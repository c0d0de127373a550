package standing

import "github.com/headrace/headrace/faults/history"

// seek is one that is under way.
type seek struct {
	asked history.Instant
	aims  map[uint64]uint64
	// to is the snapshot's standing; nil: it goes to the aims.
	to map[history.MessageID]where
	// answers were given since, of what was handed out since.
	answers []*hand
}

// base is where a message is when the seek is done.
func (k *seek) base(m *message) where {
	if k.to != nil {
		if w, known := k.to[m.id]; known {
			return w
		}
		return live
	}
	aim, moved := k.aims[m.at.Partition]
	switch {
	case !moved:
		return m.where
	case m.stored == 0:
		return live | done
	case m.at.Offset < aim:
		return done
	default:
		return live
	}
}

// snapshot is what stood where: before it was asked for, and when it was told.
type snapshot struct {
	before, to map[history.MessageID]where
}

// standing is where each message may be now.
func (a *Account) standing() map[history.MessageID]where {
	all := make(map[history.MessageID]where, len(a.messages))
	for id, m := range a.messages {
		all[id] = m.where
	}
	return all
}

func (a *Account) snapshotTold(e *history.Event) {
	s := a.operator.snapshots[e.Snapshot]
	if s == nil || e.Done == 0 {
		delete(a.operator.snapshots, e.Snapshot)
		return
	}
	a.counts.Snapshots++
	s.to = a.standing()
	for id, w := range s.before {
		s.to[id] |= w
	}
	for id := range s.to {
		if _, known := s.before[id]; !known {
			s.to[id] |= live
		}
	}
}

func (a *Account) seekAsking(e *history.Event) {
	k := &seek{asked: e.At, aims: a.operator.aims}
	if e.Snapshot > 0 {
		s := a.operator.snapshots[e.Snapshot]
		if s == nil || s.to == nil {
			a.brokenf(history.Unreadable, "a seek to snapshot %d, which is not there", e.Snapshot)
			return
		}
		k.to = s.to
	}
	a.operator.seek, a.operator.aims = k, map[uint64]uint64{}
}

// seekTold: a seek is done as a whole, or not at all.
func (a *Account) seekTold(e *history.Event) {
	o := &a.operator
	k := o.seek
	o.seek = nil
	want := o.generation + e.Done
	if o.generation > 0 && e.Generation != want {
		a.brokenf(history.WentBack, "generation %d after a seek, where it is %d", e.Generation, want)
	}
	o.generation = e.Generation
	if k == nil || e.Done == 0 {
		return
	}
	a.counts.Seeks++
	o.asked, o.told, o.aimed = k.asked, e.At, k.aims
	for _, m := range a.messages {
		m.narrow(k.base(m), e.At, nil)
		m.charges.begin(a.deaths)
		m.hands = nil
	}
	for _, h := range k.answers {
		h.message.where |= placeOf(h.verdict)
	}
	for _, f := range a.floors {
		f.restart(a.lives)
	}
	for _, k := range a.keys {
		k.restart()
	}
}

// effective is where a message may be, also when a seek is under way.
func (a *Account) effective(m *message) where {
	if a.operator.seek == nil {
		return m.where
	}
	return m.where | a.operator.seek.base(m)
}

// isBefore says that what was handed out is of before the last seek.
func (o *operator) isBefore(h *hand) bool { return h.at < o.asked }

// note notes an answer that may be given before a seek or after it.
func (o *operator) note(h *hand) {
	if o.seek != nil && h.at > o.seek.asked {
		o.seek.answers = append(o.seek.answers, h)
	}
}

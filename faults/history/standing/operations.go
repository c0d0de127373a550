package standing

import "github.com/headrace/headrace/faults/history"

// operator is what was asked of a subscription from outside, one thing after the other.
type operator struct {
	// aims are where the next seek goes, by partition.
	aims map[uint64]uint64
	// seek is under way; asked and told are the last one's that was done, aimed its aims.
	seek        *seek
	asked, told history.Instant
	aimed       map[uint64]uint64
	generation  uint64
	// snapshots are whole, or being taken.
	snapshots map[uint64]*snapshot
	// paused is since when it surely is; 0: it may not be.
	paused history.Instant
	// releasing: somebody is about to release keys.
	releasing bool
	// released is when the last release ended.
	released history.Instant
	letters  letters
}

func newOperator() operator {
	return operator{aims: map[uint64]uint64{}, snapshots: map[uint64]*snapshot{}}
}

// readOperator takes what an operator asked or was told.
func (a *Account) readOperator(e *history.Event) {
	o := &a.operator
	switch e.Kind {
	case history.SeekAiming:
		o.aims[e.Partition] = e.Offset
	case history.SeekAsking:
		a.seekAsking(e)
	case history.SeekTold:
		a.seekTold(e)
	case history.SnapshotAsking:
		o.snapshots[e.Snapshot] = &snapshot{before: a.standing()}
	case history.SnapshotTold:
		a.snapshotTold(e)
	case history.PauseAsking:
		o.paused = 0
	case history.PauseTold:
		if e.Paused == 1 && e.Done == 1 {
			a.counts.Pauses++
			o.paused = e.At
		}
	case history.FloorTold:
		a.floorTold(e)
	case history.BacklogAsking:
		a.asked = e.At
	case history.CaughtUp:
		a.counts.CaughtUp++
		a.caughtUp(a.asked, "when nothing was said to wait")
	default:
		a.readLetters(e)
	}
}

// checkPaused: while a subscription is paused nothing new is delivered.
func (a *Account) checkPaused(h *hand) {
	if since := a.operator.paused; since > 0 && since < h.session.opened {
		a.brokenf(history.Skipped, "%s came to %s, which began %v after the subscription had been paused",
			h.message.id, h.session, h.session.opened.Sub(since))
	}
}

// caughtUp: nothing waits, so nothing that was stored before is surely live.
func (a *Account) caughtUp(asked history.Instant, when string) {
	if a.rules.Guarantee == AtMostOnce {
		return // What was on its way when something died is gone.
	}
	for _, m := range a.all() {
		if m.isStored(asked) && m.surely(live, asked) {
			a.brokenf(history.Lost, "%s at %s, %s", m.id, m.at, when)
			m.where = live | done // It is said once.
		}
	}
}

package broker

// controlSlots are the control items of a session, one merged slot a kind. They
// are guarded by the mutex of the outbound queue.
type controlSlots struct {
	result    SettleResult
	hasResult bool
	// resultAfter is the place of the last revocation before the result, which the
	// result does not overtake: it may confirm the settle that caused it.
	resultAfter uint64
	flow        *FlowState
	revoked     []revocation
	revokedSize int
	recalls     []recalling
	recallSize  int
	goAway      *GoAway
}

// recalling is a Recall that waits until the frames before it are taken.
type recalling struct {
	after  uint64
	recall Recall
}

// revocation is a Revoked that waits until the frames before it are taken.
type revocation struct {
	after   uint64
	revoked Revoked
}

// settled merges a settle result; false when the slot holds too much.
func (s *controlSlots) settled(r SettleResult) bool {
	s.hasResult = true
	if last := len(s.revoked) - 1; last >= 0 {
		s.resultAfter = s.revoked[last].after
	}
	s.result.ConfirmedThrough = max(s.result.ConfirmedThrough, r.ConfirmedThrough)
	s.result.Failures = append(s.result.Failures, r.Failures...)
	return len(s.result.Failures) <= maxSlotItems
}

// flowed replaces the flow state, but keeps limits that were not yet told.
func (s *controlSlots) flowed(f FlowState) {
	if s.flow != nil && f.Limits == nil {
		f.Limits = s.flow.Limits
	}
	s.flow = &f
}

// revoke adds a revocation behind the frames up to after; false when the slot holds
// too much.
func (s *controlSlots) revoke(r Revoked, after uint64) bool {
	s.revokedSize += len(r.Ranges)
	last := len(s.revoked) - 1
	if last >= 0 && s.revoked[last].mergesWith(r, after) {
		merged := &s.revoked[last].revoked
		merged.Ranges = append(merged.Ranges, r.Ranges...)
	} else {
		s.revoked = append(s.revoked, revocation{after: after, revoked: r})
	}
	return s.revokedSize <= maxSlotItems
}

func (v revocation) mergesWith(r Revoked, after uint64) bool {
	return v.after == after && v.revoked.Reason == r.Reason && len(v.revoked.Ranges)+len(r.Ranges) <= MaxRanges
}

// recall adds a recall behind the frames up to after; false when the slot holds too
// much.
func (s *controlSlots) recall(r Recall, after uint64) bool {
	s.recallSize += len(r.Ranges)
	last := len(s.recalls) - 1
	if last >= 0 && s.recalls[last].after == after {
		merged := &s.recalls[last].recall
		merged.Ranges = append(merged.Ranges, r.Ranges...)
	} else {
		s.recalls = append(s.recalls, recalling{after: after, recall: r})
	}
	return s.recallSize <= maxSlotItems
}

// take takes an item that may go out after popped frames.
func (s *controlSlots) take(popped uint64) (Output, bool) {
	switch {
	case s.goAway != nil:
		out := Output{GoAway: s.goAway}
		s.goAway = nil
		return out, true
	case s.hasResult && (len(s.revoked) == 0 || s.revoked[0].after > s.resultAfter):
		result := s.result
		s.hasResult, s.result.Failures = false, nil
		return Output{SettleResult: &result}, true
	case len(s.revoked) > 0 && s.revoked[0].after <= popped:
		revoked := s.revoked[0].revoked
		s.revoked = s.revoked[1:]
		s.revokedSize -= len(revoked.Ranges)
		return Output{Revoked: &revoked}, true
	case len(s.recalls) > 0 && s.recalls[0].after <= popped:
		recall := s.recalls[0].recall
		s.recalls = s.recalls[1:]
		s.recallSize -= len(recall.Ranges)
		return Output{Recall: &recall}, true
	case s.flow != nil:
		out := Output{Flow: s.flow}
		s.flow = nil
		return out, true
	}
	return Output{}, false
}

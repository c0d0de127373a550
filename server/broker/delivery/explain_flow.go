package delivery

// FlowExplanation says what holds a subscription up as a whole, beyond its Stats.
type FlowExplanation struct {
	Paused bool
	// RateLimited: messages wait for the dispatch cap, until RateUntil.
	RateLimited bool
	RateUntil   Instant
	// NextRetry is when the next message that failed is due, if HasRetry.
	NextRetry Instant
	HasRetry  bool
	// Partition and Oldest are where the oldest unsettled message stands, as far as
	// times are known, if HasOldest.
	Partition uint32
	Oldest    uint64
	HasOldest bool
}

// ExplainFlow says what holds the subscription up. It costs O(waiting + partitions).
func (s *State) ExplainFlow() (e FlowExplanation) {
	e.Paused, e.RateLimited = s.config.Paused, s.cap.limited
	if e.RateLimited {
		e.RateUntil = s.cap.goesOn()
	}
	for _, r := range s.pool.timers.items {
		if r.where == waiting && (!e.HasRetry || r.due < e.NextRetry) {
			e.HasRetry, e.NextRetry = true, r.due
		}
	}
	oldest := int64(0)
	for _, p := range s.order {
		if p.floor >= p.head {
			continue
		}
		if t := p.times.at(p.floor); !e.HasOldest || t != 0 && t < oldest {
			e.HasOldest, e.Partition, e.Oldest, oldest = true, p.id, p.floor, t
		}
	}
	return e
}

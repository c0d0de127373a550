package delivery

import "sort"

// Standing is where a message stands.
type Standing uint8

const (
	// IsUnpublished: there is no message at that offset yet.
	IsUnpublished Standing = iota
	// IsSettled: it was acked, stored as a dead letter, or lies in a hole.
	IsSettled
	// IsFresh: it was not delivered since the server started, and nothing holds it up
	// but the messages before it, credit, and the subscription.
	IsFresh
	// IsOutstanding: a session holds it.
	IsOutstanding
	// IsBackingOff: it failed and is due later.
	IsBackingOff
	// IsUncommitted: its counts are being written.
	IsUncommitted
	// IsReady: it came back, and goes to the next session with credit.
	IsReady
	// IsAvoiding: it is kept from one session, and others may have it.
	IsAvoiding
	// IsTooLarge: it did not fit the sessions that it was offered to.
	IsTooLarge
	// IsBehindKey: an earlier message of its key goes first.
	IsBehindKey
	// IsBehindParkedKey: its key is parked.
	IsBehindParkedKey
	// IsDying: it was given up, and is being stored away.
	IsDying
)

// Explanation says where a message stands, and why.
type Explanation struct {
	Standing Standing
	// Attempt is that of its delivery, or the next one's. Count is what is counted of
	// it; its History is shared and not to be written to.
	Attempt uint32
	Count   Count
	// Of one that is outstanding: who holds it, under which sequence, since when,
	// whether it was started, and until when. On the caller's clock, as of now.
	Session  SessionID
	Sequence uint64
	Since    Instant
	Started  bool
	Until    Instant
	// Due is when one that waits is due.
	Due Instant
	// Ahead counts the messages of its partition that come before one that is fresh.
	Ahead uint64
	// Key is that of one that waits for its key.
	Key KeyHash
}

// Explain says where a message stands. It costs O(outstanding + waiting): it is for
// people who ask.
func (s *State) Explain(partition uint32, offset uint64) (e Explanation, known bool) {
	p := s.partitions[partition]
	if p == nil {
		return e, false
	}
	e.Attempt = 1
	if count := p.count(offset); count != nil {
		e.Count, e.Attempt = *count, count.attempt()
	}
	switch {
	case offset >= p.head:
		e.Standing = IsUnpublished
	case p.settled(offset):
		e.Standing = IsSettled
	case e.Count.Dead != 0:
		e.Standing = IsDying
	case s.explainHeld(p, offset, &e), s.explainWaiting(p, offset, &e):
	case offset >= p.next:
		e.Standing, e.Ahead = IsFresh, p.freshBefore(offset)
	default:
		s.explainQueued(p, offset, &e)
	}
	return e, true
}

// freshBefore counts the messages from next on that come before an offset.
func (p *partition) freshBefore(offset uint64) uint64 {
	if offset == p.next {
		return 0
	}
	return offset - p.next - p.settledIn(p.next, offset-1)
}

// explainHeld looks for the session that holds a message.
func (s *State) explainHeld(p *partition, offset uint64, e *Explanation) bool {
	for _, x := range s.sessions {
		for _, b := range x.blocks {
			if at, ok := b.holds(p, offset); ok {
				e.Standing, e.Session, e.Sequence = IsOutstanding, x.id, b.first+uint64(at)
				e.Since, e.Started = b.sent+s.stalled, b.started>>at&1 != 0
				e.Until = s.endOf(b, at) + s.stalled
				return true
			}
		}
	}
	return false
}

// holds says whether an offset is among the live deliveries of a block, and where.
func (b *block) holds(p *partition, offset uint64) (at uint8, ok bool) {
	for i := range b.runs {
		r := &b.runs[i]
		if r.seg.p != p || offset < r.first || offset >= r.first+uint64(r.n) {
			continue
		}
		if at = r.at + uint8(offset-r.first); b.live>>at&1 != 0 {
			return at, true
		}
	}
	return 0, false
}

// endOf is when the lease of a delivery ends, on the lease clock, unless it is prolonged
// or its session heard.
func (s *State) endOf(b *block, at uint8) Instant {
	switch {
	case b.started>>at&1 == 0:
		return s.queueEnd(b)
	case b.clocks != nil:
		return b.clocks.ends[at]
	default:
		return b.ends
	}
}

// explainWaiting looks for a message among those that came back.
func (s *State) explainWaiting(p *partition, offset uint64, e *Explanation) bool {
	found := s.findWaiting(p, offset)
	if found == nil {
		return false
	}
	e.Due = found.due
	switch found.where {
	case held:
		e.Standing = IsUncommitted
	case waiting:
		e.Standing = IsBackingOff
	case behind:
		found.key.explainBehind(e)
	case shunned:
		e.Standing = IsAvoiding
	case aside:
		e.Standing = IsTooLarge
	default:
		e.Standing = IsReady
	}
	return true
}

func (s *State) findWaiting(p *partition, offset uint64) *redelivery {
	lists := [][]*redelivery{
		s.pool.timers.items, s.pool.ready.items, p.absent.items,
		s.misfits.aside, s.misfits.beyond, s.journal.freed, s.journal.orphans,
	}
	for _, x := range s.sessions {
		lists = append(lists, x.shunned.items, x.own.items)
	}
	if c := p.chunks[offset/ChunkOffsets]; c != nil {
		lists = append(lists, c.held)
	}
	for _, k := range s.keys.byID {
		lists = append(lists, k.returned)
	}
	for _, list := range lists {
		for _, e := range list {
			if e.p == p && e.first <= offset && offset <= e.last {
				return e
			}
		}
	}
	return nil
}

// explainQueued is for a message that next has passed and that is in no list: it is
// behind its key, which only its segment would tell.
func (s *State) explainQueued(p *partition, offset uint64, e *Explanation) {
	e.Standing = IsBehindKey
	for id, k := range s.keys.byID {
		if id.p == p && k.queue.contains(offset) {
			k.explainBehind(e)
			return
		}
	}
}

// explainBehind is for a message that waits for its key.
func (k *orderKey) explainBehind(e *Explanation) {
	e.Standing, e.Key = IsBehindKey, KeyHash{Hash: k.id.hash, Present: true}
	if k.parked {
		e.Standing = IsBehindParkedKey
	}
}

// KeyExplanation says how a key stands.
type KeyExplanation struct {
	// Busy says that something of it is outstanding or waits; else its next message goes
	// out as it comes.
	Busy   bool
	Parked bool
	// Holder has Outstanding messages of it; 0: nobody.
	Holder      SessionID
	Outstanding uint64
	// Next is the offset that goes next, if HasNext, and NextDue when it is due.
	Next    uint64
	HasNext bool
	NextDue Instant
	// Waiting counts the messages that were found to wait behind it.
	Waiting uint64
}

// ExplainKey says how the key with a hash stands.
func (s *State) ExplainKey(partition, hash uint32) (e KeyExplanation) {
	k := s.keys.byID[keyID{s.partitions[partition], hash}]
	if k == nil {
		return e
	}
	e.Busy, e.Parked = true, k.parked
	if len(k.out) > 0 {
		e.Holder, e.Outstanding = k.holder.id, uint64(len(k.out))
	}
	e.Waiting = uint64(len(k.returned)) + uint64(k.queue.len())
	switch {
	case k.exposed != nil:
		e.HasNext, e.Next, e.NextDue = true, k.exposed.first, k.exposed.due
		e.Waiting++
	case len(k.returned) > 0:
		e.HasNext, e.Next, e.NextDue = true, k.returned[0].first, k.returned[0].due
	case k.queue.len() > 0:
		e.HasNext, e.Next = true, k.queue.first
	}
	return e
}

// SessionExplanation says how a session stands, beyond its SessionStats.
type SessionExplanation struct {
	Stats SessionStats
	// Holding are its deliveries, by sequence; at most MaxExplained.
	Holding []HeldMessage
	// Away says that its stream broke, and Until when it waits to be taken up again.
	Away  bool
	Until Instant
}

// HeldMessage is a delivery that a session holds.
type HeldMessage struct {
	Sequence  uint64
	Partition uint32
	Offset    uint64
	Since     Instant
	Started   bool
	Until     Instant
}

// MaxExplained bounds the deliveries that are listed of a session.
const MaxExplained = 1000

// ExplainSession says how a session stands.
func (s *State) ExplainSession(id SessionID) (e SessionExplanation, known bool) {
	x := s.byID[id]
	if x == nil {
		return e, false
	}
	e.Stats = s.statsOf(x)
	e.Away, e.Until = x.absent, x.resumeBy+s.stalled
	for _, b := range x.blocks {
		for i := range b.runs {
			r := &b.runs[i]
			for j := range r.n {
				at := r.at + j
				if b.live>>at&1 == 0 || len(e.Holding) == MaxExplained {
					continue
				}
				e.Holding = append(e.Holding, HeldMessage{
					Sequence: b.first + uint64(at), Partition: r.seg.p.id, Offset: r.first + uint64(j),
					Since: b.sent + s.stalled, Started: b.started>>at&1 != 0, Until: s.endOf(b, at) + s.stalled,
				})
			}
		}
	}
	sort.Slice(e.Holding, func(i, j int) bool { return e.Holding[i].Sequence < e.Holding[j].Sequence })
	return e, true
}

package delivery

import (
	"cmp"
	"slices"
	"sort"
)

// Order is which order a subscription keeps.
type Order uint8

const (
	// OrderNone: none. The default.
	OrderNone Order = iota
	// OrderKey: the messages of an ordering key one after the other, by offset.
	OrderKey
	// OrderPartition: a partition is one key.
	OrderPartition
)

// KeyPolicy is what becomes of a key whose message exhausts its attempts.
type KeyPolicy uint8

const (
	// BlockKey: the key waits for it, which is retried for ever. The default.
	BlockKey KeyPolicy = iota
	// ParkKey: the message is given up, and the key waits until it is released.
	ParkKey
	// SkipKey: the message is given up, and the key goes on.
	SkipKey
)

// KeyHash says whether a message has an ordering key, and its hash. Keys of one hash
// count as one key.
type KeyHash struct {
	Hash    uint32
	Present bool
}

const (
	// maxKeyBytes bounds the memory for offsets behind busy keys.
	maxKeyBytes = 64 << 20
	// keyBytes is the memory that a busy key takes beside its queue.
	keyBytes = 256
	// fewOfKey is how many messages of a key a session may hold however small the share
	// of its window is, and at most where its credit has no window.
	fewOfKey = 32
	// maxGated is how many messages of busy keys a frame steps over.
	maxGated = 4096
)

// keyID names a key: one key's messages are all in one partition.
type keyID struct {
	p    *partition
	hash uint32
}

// orderKey is a key of which something was delivered or waits, or that is parked.
// Its unsettled messages, but for those that next did not reach yet, are, by offset:
//
//	out               returned                queue
//	at one session    given back, failed,     never delivered,
//	                  or next in turn         offsets alone
//
// Only the first of the latter two is exposed: has a place where it can be dispatched.
type orderKey struct {
	id  keyID
	out []sentKey
	// holder has what is out. It may get more behind it, unless solo: what is out
	// failed before.
	holder   *session
	solo     bool
	returned []*redelivery
	exposed  *redelivery
	queue    offsetQueue
	// dying counts messages that were given up and are not stored away.
	dying   int
	diedAt  uint64 // the lowest of them
	parked  bool
	touched bool
	// at is when what touched it was read.
	at Instant
}

type sentKey struct{ offset, sequence uint64 }

// keys are the busy keys of a subscription.
type keys struct {
	byID    map[keyID]*orderKey
	touched []*orderKey
	// queued counts the offsets in queues, behind the records in returned; bytes is
	// the memory of all queues.
	queued uint64
	behind uint64
	bytes  int
	// limit bounds bytes.
	limit int
	// parked counts the keys that are.
	parked uint64
	later  []sentKey // scratch
	// blocked says that a message could not be put behind its key for want of memory.
	blocked bool
}

// keyOf is the hash of a message's key.
func (g *segment) keyOf(offset uint64) (hash uint32, present bool) {
	switch {
	case g.p.order == OrderPartition:
		return 0, true
	case g.keys == nil:
		return 0, false
	default:
		k := (*g.keys)[offset-g.base]
		return k.Hash, k.Present
	}
}

// keyed says whether messages of a segment may have a key that counts.
func (g *segment) keyed() bool {
	return g.keys != nil || g.p.order == OrderPartition
}

// keyFor is the record of a key, made when it is not there.
func (s *State) keyFor(p *partition, hash uint32) *orderKey {
	id := keyID{p, hash}
	k := s.keys.byID[id]
	if k == nil {
		k = &orderKey{id: id}
		s.keys.byID[id] = k
		s.keys.bytes += keyBytes
	}
	return k
}

// keyAt is the key of a message, nil when it has none that counts.
func (s *State) keyAt(g *segment, offset uint64) *orderKey {
	hash, present := g.keyOf(offset)
	if !present {
		return nil
	}
	return s.keyFor(g.p, hash)
}

// dropKey forgets a key of which nothing is left.
func (s *State) dropKey(k *orderKey) {
	if s.keys.byID[k.id] == k && len(k.out) == 0 && !k.waits() {
		delete(s.keys.byID, k.id)
		s.keys.bytes -= keyBytes
	}
}

// busy says whether a message behind all that is known of the key has to wait for it.
func (k *orderKey) busy(x *session) bool {
	if k == nil {
		return false
	}
	return k.waits() || len(k.out) > 0 && !k.takesMore(x)
}

// waits says whether something of the key that is not out goes first.
func (k *orderKey) waits() bool {
	return len(k.returned) > 0 || k.exposed != nil || k.queue.len() > 0 || k.dying > 0 || k.parked
}

// takesMore says whether a session may get more of a key behind what it has of it.
func (k *orderKey) takesMore(x *session) bool {
	return k.holder == x && x.keyBatches && !k.solo && (k.id.p.order == OrderPartition || uint64(len(k.out)) < x.mostOfKey())
}

// mostOfKey is how many messages of an ordering key a session holds at most: a tenth of
// its window, so that a key whose first message takes long leaves nine tenths to others;
// of a small window half, so that a key still goes on while its settles are on their way.
func (x *session) mostOfKey() uint64 {
	if x.replenish == Manual {
		return fewOfKey
	}
	window := x.window.Messages
	return max(1, window/10, min(window/2, fewOfKey))
}

// enqueue puts a message behind its key, if there is memory.
func (s *State) enqueue(k *orderKey, offset uint64) bool {
	if s.keys.bytes > s.keys.limit {
		return false
	}
	before := k.queue.bytes()
	k.queue.push(offset)
	s.keys.bytes += k.queue.bytes() - before
	s.keys.queued++
	return true
}

func (s *State) dequeue(k *orderKey) uint64 {
	before := k.queue.bytes()
	offset := k.queue.pop()
	s.keys.bytes += k.queue.bytes() - before
	s.keys.queued--
	s.keys.blocked = false
	return offset
}

// touch has a key looked at, at the end of the event.
func (s *State) touch(k *orderKey, at Instant) {
	k.at = at
	if !k.touched {
		k.touched = true
		s.keys.touched = append(s.keys.touched, k)
	}
}

// sentOf notes that a session was sent n messages of a segment from an offset on.
func (s *State) sentOf(x *session, g *segment, first, n, sequence uint64, attempt uint32) {
	for i := range n {
		hash, present := g.keyOf(first + i)
		if !present {
			continue
		}
		k := s.keyFor(g.p, hash)
		k.out = append(k.out, sentKey{first + i, sequence + i})
		k.holder, k.solo = x, attempt > 1
		if e := k.exposed; e != nil && e.first == first+i {
			k.exposed, e.key = nil, nil
		}
		s.touch(k, s.now)
	}
}

// endedOf notes that the delivery of n messages from an offset on has ended.
func (s *State) endedOf(g *segment, first, n uint64, at Instant) {
	for offset := first; offset < first+n; offset++ {
		hash, present := g.keyOf(offset)
		if !present {
			continue
		}
		k := s.keyFor(g.p, hash)
		i := sort.Search(len(k.out), func(i int) bool { return k.out[i].offset >= offset })
		if i < len(k.out) && k.out[i].offset == offset {
			k.out = slices.Delete(k.out, i, i+1)
		}
		s.touch(k, at)
	}
}

// comeBack keeps a message of a key that was given back or failed until its turn.
func (s *State) comeBack(k *orderKey, like redelivery) *redelivery {
	e := s.newRedelivery()
	*e = like
	e.again, e.key = true, k
	s.pool.messages++
	s.pool.later++
	s.keep(k, e)
	return e
}

// keep puts a record among the returned ones of its key.
func (s *State) keep(k *orderKey, e *redelivery) {
	i := sort.Search(len(k.returned), func(i int) bool { return k.returned[i].first >= e.first })
	k.returned = slices.Insert(k.returned, i, e)
	s.keys.behind++
	if e.where == nowhere {
		e.where = behind
	}
}

// settleKeys takes back what is out of order, and exposes what is next, of all keys
// that an event touched.
func (s *State) settleKeys() {
	if len(s.keys.touched) > 0 {
		s.settleTouched()
	}
}

func (s *State) settleTouched() {
	for i := 0; i < len(s.keys.touched); i++ { //nolint:intrange // it grows meanwhile
		k := s.keys.touched[i]
		s.takeBackLater(k)
		k.touched = false
		s.expose(k)
		s.dropKey(k)
		s.handOver(k)
	}
	clear(s.keys.touched)
	s.keys.touched = s.keys.touched[:0]
}

// takeBackLater revokes what is out behind a message of its key that came back.
func (s *State) takeBackLater(k *orderKey) {
	first := k.firstBack()
	if e := k.exposed; e != nil && (e.first > first || k.parked || s.yields(k.id.p, k.id.hash)) {
		s.withdraw(k)
	}
	i := sort.Search(len(k.out), func(i int) bool { return k.out[i].offset > first })
	if i == len(k.out) {
		return
	}
	x := k.holder
	s.keys.later = append(s.keys.later[:0], k.out[i:]...)
	k.out = k.out[:i]
	for _, sent := range s.keys.later {
		b := x.blocks[x.find(sent.sequence)]
		s.takeAway(b, b.mask(sent.sequence, sent.sequence), returned, KeyOrder, k.at)
	}
	s.tidy(x)
	s.refreshAfter(x)
}

// firstBack is the lowest offset that came back, or was given up.
func (k *orderKey) firstBack() uint64 {
	first := ^uint64(0)
	if len(k.returned) > 0 {
		first = k.returned[0].first
	}
	if k.dying > 0 {
		first = min(first, k.diedAt)
	}
	return first
}

// withdraw takes the exposed message of a key back behind what is out.
func (s *State) withdraw(k *orderKey) {
	e := k.exposed
	k.exposed = nil
	if e.holder != nil {
		s.unhold(e.holder)
	}
	if e.where == held {
		e.only = nil
		s.keep(k, e)
		return
	}
	seg := s.unplace(e)
	e.only = nil
	s.pool.later++
	s.keep(k, e)
	s.unpin(seg)
}

// expose gives the next message of a key a place where it can be dispatched, if its
// time has come.
func (s *State) expose(k *orderKey) {
	if e := k.exposed; e != nil && e.only != nil && len(k.out) == 0 {
		seg := s.unplace(e)
		e.only = nil
		s.route(e)
		s.unpin(seg)
	}
	for k.exposed == nil && !k.parked && k.goesOn() && s.hasTurn(k) {
		var only *session
		if len(k.out) > 0 {
			only = k.holder
			if len(k.returned) > 0 || !k.takesMore(only) {
				return
			}
		}
		switch {
		case len(k.returned) > 0:
			s.exposeReturned(k)
		case k.queue.len() > 0:
			s.exposeQueued(k, only)
		default:
			return
		}
	}
}

// goesOn says whether the next message is not behind one that is to be stored away.
func (k *orderKey) goesOn() bool {
	return k.dying == 0 || len(k.returned) > 0 && k.returned[0].first < k.diedAt
}

func (s *State) exposeReturned(k *orderKey) {
	e := k.returned[0]
	k.returned = slices.Delete(k.returned, 0, 1)
	s.keys.behind--
	k.exposed = e
	if e.where != held {
		s.reroute(e)
	}
}

func (s *State) exposeQueued(k *orderKey, only *session) {
	p, offset := k.id.p, s.dequeue(k)
	if p.settled(offset) {
		return
	}
	e := redelivery{p: p, first: offset, last: offset, key: k, only: only, due: s.now}
	if count := p.count(offset); count != nil {
		if count.Dead != 0 {
			s.mourn(k, p, offset, count.History.last())
			return
		}
		e.due, e.again, e.only = count.NotBefore, true, nil
		if len(k.out) > 0 {
			e.where = nowhere
			made := s.newRedelivery()
			*made = e
			s.pool.messages++
			s.pool.later++
			s.keep(k, made)
			return
		}
	}
	made := s.newRedelivery()
	*made = e
	s.pool.messages++
	k.exposed = made
	s.route(made)
}

// touchHeldBy has the keys looked at of which a session holds something, and which have
// more: it may get more of each now.
func (s *State) touchHeldBy(x *session, at Instant) {
	var held []*orderKey
	for _, k := range s.keys.byID {
		if k.holder == x && len(k.out) > 0 && k.queue.len() > 0 {
			held = append(held, k)
		}
	}
	slices.SortFunc(held, func(a, b *orderKey) int { return cmp.Compare(a.out[0].sequence, b.out[0].sequence) })
	for _, k := range held {
		s.touch(k, at)
	}
	s.settleKeys()
}

// dropSettledHeads lets the keys of a partition go on whose next message a hole has
// settled.
func (s *State) dropSettledHeads(p *partition) {
	var heads []*redelivery
	for id, k := range s.keys.byID {
		if e := k.exposed; id.p == p && e != nil && e.where != held && p.settled(e.first) {
			heads = append(heads, e)
		}
	}
	slices.SortFunc(heads, func(a, b *redelivery) int { return cmp.Compare(a.first, b.first) })
	for _, e := range heads {
		s.reroute(e)
	}
}

// leaveKey tells a key that its exposed or returned message is gone: a hole has
// settled it.
func (s *State) leaveKey(e *redelivery) {
	k := e.key
	if k == nil {
		return
	}
	if k.exposed == e {
		k.exposed = nil
	} else if i := slices.Index(k.returned, e); i >= 0 {
		k.returned = slices.Delete(k.returned, i, i+1)
		s.keys.behind--
	}
	s.touch(k, s.now)
}

package delivery

import "slices"

// State is the delivery state of one subscription. Owner loop only.
type State struct {
	config Config
	guarantee
	partitions map[uint32]*partition
	order      []*partition // ascending by id
	redriven   *partition   // see redriven.go; nil: there is none, or no order of keys
	open       []*partition // with fresh messages at hand, in no order
	rotor      int          // where the next frame starts in open
	toLoad     []*partition // may need a Load
	unloads    []unloadedSegment
	// wantedSegments counts the loaded segments that only redeliveries need.
	wantedSegments int

	sessions     []*session // in no order
	byID         map[SessionID]*session
	clients      map[string]*client
	openSessions int // sessions that are serving
	// active is the session that a failover subscription serves; attached counts those
	// that came.
	active   *session
	attached uint64
	attended bool // there was a session in the last turn: segments may be loaded
	ceiling  ceiling
	cap      dispatchCap

	pool      pool
	keys      keys
	misfits   misfits
	freshLead uint64 // see maxFreshLead

	picker picker
	// limit is what smallestLimit found last, while limitKnown.
	limit      uint64
	limitKnown bool
	frame      frame
	served     []*session // in this turn
	// capped says that a message did not fit the subscription's ceiling; more that
	// another turn could dispatch more at once.
	capped bool
	more   bool

	leases      heap[*block]
	spareBlocks []*block
	spareClocks []*clocks
	stalled     Instant // how far the lease clock is behind

	journal journal
	letters letters
	unsent  unsent
	ledger  ledger
	recalls recalls
	pending ring[pendingSettle]
	owed    []*session
	scratch []SequenceRange

	beats     heap[*session]
	silences  heap[*session]
	drains    heap[*session]
	absences  heap[*session]
	finishing []*session
	pulls     []*session // those that have not left
	// changed says that reasons may have changed since the last report; delayed that
	// one was not told because the one before was too recent.
	changed       bool
	urgent        bool // some session is to be told at once
	nextReport    Instant
	delayed       bool
	delayedReport Instant

	// closing says that a Shutdown came, closed that its grace is over.
	closing bool
	closed  bool
	closeAt Instant

	// holding: it is to stand still, see Hold; held: it does.
	holding, held bool

	now  Instant
	turn uint64
	seed uint64
	out  *outbox // being filled; the other one is the caller's
	rest *outbox
}

// New makes the state of a subscription from what recovery read. It starts
// without sessions, everything that is not settled is to be delivered, and
// what has failed before is due as its Count says. The config must be valid.
func New(config Config, cursors []Cursor) *State {
	s := newState(config, cursors)
	for _, p := range s.order {
		s.recover(p)
	}
	return s
}

func newState(config Config, cursors []Cursor) *State {
	s := &State{
		config: config.withDefaults(), guarantee: newGuarantee(config.Guarantee),
		partitions: make(map[uint32]*partition, len(cursors)),
		byID:       make(map[SessionID]*session),
		clients:    make(map[string]*client),
		keys:       keys{byID: make(map[keyID]*orderKey), limit: maxKeyBytes},
		pool:       newPool(), picker: newPicker(), leases: newLeases(),
		beats: newBeats(), silences: newSilences(), drains: newDrains(), absences: newAbsences(),
		journal: journal{next: 1}, ledger: ledger{limit: MaxChangeSetKeys}, seed: config.Seed,
		out: &outbox{}, rest: &outbox{},
	}
	s.ceiling.limit = s.config.ceiling()
	s.cap = newDispatchCap(s.config.Cap, s.now)
	for i := range cursors {
		p := newPartition(&cursors[i], &s.journal, config.Order)
		s.partitions[p.id] = p
		s.order = append(s.order, p)
		if cursors[i].Redriven && config.Order == OrderKey {
			s.redriven = p
		}
		for _, hash := range cursors[i].Parked {
			s.park(s.keyFor(p, hash))
		}
	}
	slices.SortFunc(s.order, func(a, b *partition) int { return int(int64(a.id) - int64(b.id)) })
	return s
}

// Apply applies events in order and then fires the timers up to now. Every
// event read before now must have been given in this call or earlier: a caller
// that leaves some in its mailbox gives the time of the last one it took. Now
// never goes back.
func (s *State) Apply(now Instant, events ...Event) {
	s.now = max(s.now, now)
	for _, event := range events {
		s.applyOne(event)
	}
	if s.redriven != nil {
		s.takeInRedriven()
	}
	s.expireLeases()
	s.settleKeys()
	s.endSilent()
	s.endAbsences()
	s.endGraces()
	s.settleKeys()
	s.ripen()
	s.settleKeys()
}

func (s *State) applyOne(event Event) {
	switch e := event.(type) {
	case *Settle:
		s.settle(e)
	case *Started:
		s.start(e)
	case *Extend:
		s.extend(e)
	case *Window:
		s.setWindow(e)
	case *Grant:
		s.grant(e)
	case *Heard:
		s.hear(e.Stamp)
	case *Writable:
		s.setWritable(e)
	case *Head:
		s.head(e)
	case *Loaded:
		s.load(e)
	case *Hole:
		s.hole(e)
	case *Drop:
		s.drop(e)
	case *Bury:
		s.buryOldest(e)
	case *Remembered:
		s.reminded(e)
	case *Committed:
		s.commit(e.Number)
	case *Attach:
		s.attach(e)
	case *Drain:
		s.drain(e)
	case *Detach:
		s.detach(e)
	case *Leave:
		s.waitNoMore(e)
	case *Stalled:
		s.stalled += max(e.Duration, 0)
	case *Shutdown:
		s.shutdown(e)
	case *Move:
		s.move(e)
	case *Configure:
		s.configure(e.Config)
	case *ReleaseKeys:
		s.releaseKeys(e)
	case *Hold:
		s.standStill(e)
	case *Seek:
		s.seek(e)
	}
	s.settleKeys()
}

func (s *State) setWritable(e *Writable) {
	if x := s.streamOf(e.Stamp); x != nil {
		x.writable = e.Writable
		if !x.writable {
			s.unhold(x)
		}
		s.place(x)
		s.changed = true
	}
}

func (s *State) head(e *Head) {
	if p := s.partitions[e.Partition]; p != nil && e.Next > p.head {
		p.head = e.Next
		s.moved(p)
		s.changed = true
	}
}

func (s *State) hole(e *Hole) {
	p := s.partitions[e.Partition]
	if p == nil || e.First > e.Last {
		return
	}
	p.addHole(e.First, e.Last)
	p.answered(e.First, e.Last+1)
	s.dropSettledMisfits()
	s.dropSettledHeads(p)
	s.passed(p)
	s.moved(p)
	s.changed = true
}

// Next decides one turn: it returns what must be done, in order. The effects
// stay valid until the next call of Next; the slice is used again. At most one
// frame is dispatched to a session in a turn; while more can go out at once,
// Deadline is not after now.
func (s *State) Next(now Instant) []Effect {
	s.now = max(s.now, now)
	if !s.guarded {
		s.write()
	}
	s.reply()
	s.dispatch()
	if s.guarded {
		s.write() // with what was dispatched
	}
	if s.recalls.unstarted > s.recalls.asked {
		s.recall()
	}
	s.tellUnloads()
	s.requestLoads()
	if len(s.pulls) > 0 {
		s.harvest()
	}
	s.finishAll()
	s.settleKeys()
	s.report()
	s.beat()
	if s.holding && !s.held && s.quiet() {
		s.held = true
	}
	s.turn++
	s.out, s.rest = s.rest, s.out
	s.out.reset()
	return s.rest.effects
}

// Deadline is when Apply and Next are to be called again though no event came;
// ok is false when there is nothing to wait for.
func (s *State) Deadline() (deadline Instant, ok bool) {
	d := earliest{}
	if s.more || len(s.owed) > 0 || len(s.finishing) > 0 || len(s.out.effects) > 0 || len(s.unloads) > 0 ||
		!s.journal.inFlight && !s.held && s.mustWrite() {
		d.at(s.now)
	}
	if s.leases.len() > 0 {
		d.at(s.leases.top().due + s.stalled)
	}
	if s.silences.len() > 0 {
		d.at(s.silences.top().silentAt + s.stalled)
		d.at(s.beats.top().beatAt)
	}
	if s.absences.len() > 0 {
		d.at(s.absences.top().endBy + s.stalled)
	}
	if s.pool.timers.len() > 0 {
		d.at(s.pool.timers.top().at)
	}
	if s.recalls.waiting && s.recalls.unstarted > s.recalls.asked {
		d.at(s.recalls.next)
	}
	if s.drains.len() > 0 {
		d.at(s.drains.top().drainAt)
	}
	if s.cap.limited {
		d.at(s.cap.goesOn())
	}
	if s.closing && !s.closed {
		d.at(s.closeAt)
	}
	if s.changed && len(s.sessions) > 0 {
		d.at(s.nextReport)
	}
	if s.delayed && len(s.sessions) > 0 {
		d.at(s.delayedReport)
	}
	return d.instant, d.set
}

type earliest struct {
	instant Instant
	set     bool
}

func (e *earliest) at(t Instant) {
	if !e.set || t < e.instant {
		e.instant, e.set = t, true
	}
}

// Saturated says that what waits to be committed has reached the bound of a
// change set: the owner stops draining its mailbox, but for Committed, until it is
// false again.
func (s *State) Saturated() bool {
	return len(s.journal.queue) >= maxQueuedChunks || s.letters.waiting.len() >= maxLetters ||
		s.pending.len() >= maxPendingSettles || s.ledger.saturated()
}

// Idle says that no session is attached and nothing waits to be committed: after
// a Shutdown the owner may stop.
func (s *State) Idle() bool {
	return len(s.sessions) == 0 && !s.journal.inFlight && !s.mustWrite() && s.letters.waiting.len() == 0
}

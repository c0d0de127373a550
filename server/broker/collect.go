package broker

import (
	"errors"
	"slices"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// collect gathers what happened since the last turn into l.events and sets l.now.
// What sessions said comes last, so that heads and stalls are known before. Loop
// only, like all of this file.
func (l *loop) collect() {
	l.events = l.events[:0]
	waited := l.collectLetters()
	l.collectStalls(waited)
	l.collectOrders()
	l.collectCommit()
	l.collectStill()
	for i := range l.letters {
		l.open(&l.letters[i])
	}
	l.collectHeads()
	l.collectKept()
	l.collectFetched()
	l.events = append(l.events, l.own...)
	l.own = l.own[:0]
	l.collectRoom()
	for i := range l.letters {
		if event := l.letters[i].event; event != nil {
			l.events = append(l.events, event)
		}
	}
}

// collectLetters takes letters, unless the loop is deaf; then time stands still at the first letter left.
func (l *loop) collectLetters() (waited time.Duration) {
	limit := lettersPerTurn
	if l.deaf() {
		limit = 0
	}
	clear(l.letters)
	var through delivery.Instant
	l.letters, through, waited, l.more = l.mailbox.take(l.letters[:0], limit)
	l.now = max(l.now, through)
	return waited
}

// collectStalls tells of time in which clients' frames lay unread.
func (l *loop) collectStalls(waited time.Duration) {
	stalls := l.clock.look()
	if stalled := stalls - l.stalls + waited; stalled > 0 {
		l.events = append(l.events, &delivery.Stalled{Duration: stalled})
	}
	l.stalls = stalls
}

// collectOrders takes what was ordered.
func (l *loop) collectOrders() {
	l.taken = l.orders.take(l.taken)
	o := &l.taken
	if o.end != nil {
		l.end(o.end)
	}
	if o.configure != nil {
		l.maxLease, l.resumeWindow = o.configure.Config.LeaseCap, max(0, o.configure.Config.ResumeWindow)
		l.events = append(l.events, o.configure)
	}
	if o.backlogCap != nil {
		l.setBacklogCap(*o.backlogCap)
	}
	if o.forwardTo != nil {
		l.forwarding.to = *o.forwardTo
	}
	if o.shutdown != nil {
		l.drains = true
		o.shutdown.At = l.now
		l.events = append(l.events, o.shutdown)
	}
	if o.still != nil {
		l.still = o.still
	}
	if len(o.asked) > 0 || len(o.queries) > 0 {
		l.headsRose = true
	}
	l.queries = append(l.queries, o.queries...)
	l.remember(o.remembered)
	if o.replay && len(l.sessions) > 0 {
		l.watch()
	}
	if o.memory {
		l.hold(false)
	}
	if len(o.keys) > 0 {
		l.collectKeys()
	}
	for _, s := range o.noticed {
		l.noticed(s)
	}
}

// noticed looks at a session whose outbound queue changed: it has room, or failed.
// One that its stream closed tells so by a letter of its own.
func (l *loop) noticed(s *Session) {
	failure := s.out.failed()
	switch {
	case l.sessions[s.owned.handle] != s || errors.Is(failure, ErrSessionClosed):
	case failure != nil:
		l.leaving(s)
		l.events = append(l.events, &delivery.Detach{Stamp: l.stamp(s), How: delivery.Broken})
	default:
		s.owned.room = s.out.room()
		l.look(s)
	}
}

// open says whose a letter is, and looks at it for what the loop itself must know.
func (l *loop) open(letter *letter) {
	if letter.bundle != nil {
		l.address(letter)
		return
	}
	s := letter.session
	switch e := letter.event.(type) {
	case *delivery.Attach:
		letter.event = l.arrive(s, e)
	case *delivery.Detach:
		if e.How != delivery.Clean {
			l.leaving(s)
		}
	}
	letter.stamp.Session, letter.stamp.Incarnation = s.owned.handle, s.owned.incarnation
}

// collectCommit looks whether the change set in the committer is done.
func (l *loop) collectCommit() {
	if l.resubmitAt > 0 && l.resubmitAt <= l.clock.now() {
		l.resubmitAt = 0
		l.slot.Submit(&l.changes.stored)
	}
	if l.submitted == 0 || l.resubmitAt > 0 {
		return
	}
	idle, err := l.slot.Done()
	switch {
	case !idle:
	case err == nil:
		l.committed.Number, l.submitted = l.submitted, 0
		l.graves.Add(l.buried)
		l.forwarding.committed(&l.changes.stored)
		l.answerReleases()
		l.events = append(l.events, &l.committed)
	case errors.Is(err, storage.ErrNoSpace):
		l.resubmitAt = l.clock.now() + noSpaceWait
	case errors.Is(err, storage.ErrNotFound):
		l.end(ErrSubscriptionDeleted)
	default:
		l.end(sessionError(err))
	}
}

// collectHeads looks which partitions' heads rose.
func (l *loop) collectHeads() {
	if !l.headsRose {
		return
	}
	l.headsRose = false
	for place, known := range l.known {
		if !l.route.exists(place) {
			continue
		}
		partition := l.route.partition(place)
		head := l.store.Head(l.route.id(partition))
		if head <= known {
			continue
		}
		l.known[place] = head
		l.headEvents[place] = delivery.Head{Partition: partition, Next: uint64(head)}
		l.events = append(l.events, &l.headEvents[place])
	}
}

// collectFetched takes what the fetcher read.
func (l *loop) collectFetched() {
	if !l.fetcher.answered() {
		return
	}
	for _, answer := range l.fetcher.take() {
		switch {
		case answer.err != nil:
			l.fetchFailed(answer)
		case answer.hole.Len() > 0:
			l.events = append(l.events, &delivery.Hole{
				Partition: answer.partition,
				First:     uint64(answer.hole.First),
				Last:      uint64(answer.hole.End) - 1,
			})
		default:
			l.loaded(answer.partition, answer.segments)
		}
	}
}

// fetchFailed ends the loop: what it must deliver cannot be read.
func (l *loop) fetchFailed(answer fetched) {
	switch {
	case errors.Is(answer.err, storage.ErrNotFound):
		l.end(ErrSubscriptionDeleted)
	case errors.Is(answer.err, storage.ErrTrimmed):
		l.brokenf("partition %d: %v", answer.partition, answer.err)
	default:
		l.end(sessionError(answer.err))
	}
}

// loaded takes segments over and tells of those that are new. The state machine asks
// only for what it does not hold, so what the window holds already answers another
// load of the same turn; told twice, it would be given back twice.
func (l *loop) loaded(partition uint32, segments []*storage.Segment) {
	segments = slices.DeleteFunc(segments, func(s *storage.Segment) bool { return !l.segments.add(s) })
	if len(segments) > 0 {
		told := describe(partition, segments)
		if l.order == OrderKey {
			tellKeys(told, segments)
		}
		l.own = append(l.own, told)
	}
}

// hold holds all sessions back, or no longer, for the sake of memory.
func (l *loop) hold(held bool) {
	l.held = held
	for _, s := range l.sessions {
		l.look(s)
	}
}

// look puts a session in the list of those whose writability may have changed.
func (l *loop) look(s *Session) {
	if !s.owned.changed {
		s.owned.changed = true
		l.changed = append(l.changed, s)
	}
}

// collectRoom tells which sessions became writable, or no longer are.
func (l *loop) collectRoom() {
	if !l.held && len(l.sessions) > 0 && l.memory.full() {
		l.hold(true)
		l.memory.await(l.orders)
	}
	for _, s := range l.changed {
		s.owned.changed = false
		writable := s.owned.room && !l.held
		if !s.owned.admitted || writable == s.owned.writable || l.sessions[s.owned.handle] != s {
			continue
		}
		s.owned.writable = writable
		s.owned.event = delivery.Writable{Stamp: l.stamp(s), Writable: writable}
		l.events = append(l.events, &s.owned.event)
	}
	clear(l.changed)
	l.changed = l.changed[:0]
}

// stamp stamps an event that the loop itself makes about a session.
func (l *loop) stamp(s *Session) delivery.Stamp {
	return delivery.Stamp{Session: s.owned.handle, Incarnation: s.owned.incarnation, At: l.now}
}

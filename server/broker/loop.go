package broker

import (
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// noSpaceWait is how long a change set waits that the full disk refused.
const noSpaceWait = time.Second

// loop owns the delivery state of one subscription. It works in turns: collect what
// happened, apply it, decide, perform. Everything without a comment is the loop's
// alone.
//
//	mailbox, orders ─┐
//	heads            ├─► collect ─► Apply ─► Next ─► perform ─► outbound queues
//	slot, fetcher    │                                          slot, Tail, fetcher
//	timer           ─┘
type loop struct {
	name    Name
	route   *route
	store   Store
	clock   *clock
	memory  *outboundMemory
	logger  *slog.Logger
	closing <-chan struct{}

	// mailbox and orders are how others reach the loop; snapshot is what it tells
	// them. wake and heads have capacity 1: they say that there is something to
	// collect, and that a partition's head rose.
	mailbox  *mailbox
	orders   *orders
	snapshot atomic.Pointer[snapshot]
	wake     chan struct{}
	heads    chan struct{}
	// done is closed when the loop takes no more turns; fate says why, set before.
	done chan struct{}
	fate error

	state    *delivery.State
	slot     storage.StateSlot
	segments *segmentWindow
	fetcher  *fetcher
	// sessions are the streams, members the sessions that have one or are away.
	sessions map[delivery.SessionID]*Session
	members  members
	watches  []func()
	// maxLease and resumeWindow are the subscription's.
	maxLease, resumeWindow time.Duration
	// order and guarantee are the subscription's.
	order     Order
	guarantee Guarantee

	// now is the time of the turn, events what it applies; more says that letters
	// are left in the mailbox, stalls how much of the clock's stalls was told.
	now     delivery.Instant
	events  []delivery.Event
	letters []letter
	more    bool
	taken   orderSlot
	queries []query
	stalls  time.Duration

	// known are the partitions' heads as the state machine knows them.
	known      []storage.Offset
	headEvents []delivery.Head
	headsRose  bool

	// kept is from where on the topic keeps what is not settled, as the state machine
	// knows; keptRose says that it is to be looked at, keeps, of capacity 1, that it
	// moved.
	kept     []storage.Offset
	keptRose bool
	keeps    chan struct{}

	// submitted is the number of the change set in the committer, 0: none; resubmitAt
	// is when it is tried again after the disk was full.
	changes   changeSet
	submitted uint64
	// buried are the dead letters of that change set, graves those that are kept.
	buried int64
	graves *atomic.Int64
	// forwarding says where dead letters go, too.
	forwarding forwarding
	committed  delivery.Committed
	// releases are those of keys that wait for the next change set, sealed those in the
	// one in the committer.
	releases, sealed []keyRelease
	resubmitAt       delivery.Instant

	// still is a standstill that was wished for, stoodStill one that ends with this turn.
	still, stoodStill *standstill

	// own are events that performing effects made; changed are sessions whose
	// writability is to be looked at; held says that memory holds all of them back.
	own     []delivery.Event
	changed []*Session
	held    bool
	drains  bool

	// keeper keeps the backlog within its cap; nil without one. full are the topic's.
	keeper *backlogKeeper
	full   *fullBacklogs
	// judged is closed when the backlog was looked at for the first time.
	judged chan struct{}

	// mean is the mean size of retained messages, measured at meanAt.
	mean   float64
	meanAt delivery.Instant

	stats delivery.Stats
	meter meter
	timer *time.Timer
}

// run takes turns until the loop ends. Nothing else runs the loop's methods.
func (l *loop) run() {
	defer l.finish()
	l.timer = time.NewTimer(0)
	defer l.timer.Stop()
	unwatchKept := l.store.WatchKept(l.route.topic, l.keeps)
	defer unwatchKept()
	l.headsRose, l.keptRose = true, true
	l.turn()
	close(l.judged)
	for l.fate == nil {
		l.wait()
		if l.fate == nil {
			l.turn()
		}
	}
}

// turn collects, applies, decides and performs, once.
func (l *loop) turn() {
	l.collect()
	if l.fate != nil {
		return
	}
	l.state.Apply(l.now, l.events...)
	for _, effect := range l.state.Next(l.now) {
		l.perform(effect)
	}
	if l.keeper != nil {
		l.keepBacklog()
	}
	l.closeTurn()
	l.publishSnapshot()
	l.answerQueries()
	if l.stoodStill != nil {
		close(l.stoodStill.over)
		l.stoodStill = nil
	}
	if l.drains && l.state.Idle() {
		l.end(ErrDraining)
	}
}

// wait waits until there is something to do.
func (l *loop) wait() {
	now := l.clock.now()
	deadline, ok := l.deadline()
	if l.fate != nil || l.hasWork() || ok && deadline <= now {
		return
	}
	var fired <-chan time.Time
	if ok {
		l.timer.Reset(deadline - now)
		fired = l.timer.C
	}
	l.meter.rest(l.clock.running())
	select {
	case <-l.wake:
	case <-l.heads:
		l.headsRose = true
	case <-l.keeps:
		l.headsRose, l.keptRose = true, true // a drop ends at the head
	case <-l.slot.Ready():
	case <-fired:
	case <-l.store.Failed():
		l.end(storeFailure(l.store))
	case <-l.closing:
		l.end(ErrDraining)
	}
	l.meter.work(l.clock.running())
}

// hasWork says that the next turn has something to do already.
func (l *loop) hasWork() bool {
	return l.more && !l.deaf() || len(l.own) > 0 || len(l.changed) > 0 || len(l.queries) > 0 || l.stoppable()
}

// deadline is when the next turn is due though nothing happens. While letters are
// left because the loop is deaf, time stands still for it: only the committer, or who
// wished for a standstill, can help.
func (l *loop) deadline() (delivery.Instant, bool) {
	deadline, ok := l.state.Deadline()
	ok = ok && (!l.more || !l.deaf())
	if l.resubmitAt > 0 && (!ok || l.resubmitAt < deadline) {
		return l.resubmitAt, true
	}
	return deadline, ok
}

// end makes this turn the last. The first reason stays.
func (l *loop) end(err error) {
	if l.fate == nil {
		l.fate = err
	}
}

// finish gives everything back and ends what sessions are left; who hears of the end
// can see why.
func (l *loop) finish() {
	if errors.Is(l.fate, ErrDataLoss) {
		l.logger.Error("subscription stopped", "subscription", l.name, "error", l.fate)
	}
	l.setBacklogCap(BacklogCap{})
	l.mailbox.close(l.fate)
	l.fetcher.close()
	l.segments.clear()
	l.slot.Close()
	close(l.done)
	for _, s := range l.sessions {
		s.abandon(l.fate)
		l.forget(s)
		s.out.fail(l.fate)
	}
	l.unwatch()
}

// watch watches the heads of the partitions that it does not watch yet: the replay
// partition may come late.
func (l *loop) watch() {
	for place := len(l.watches); place < l.route.places() && l.route.exists(place); place++ {
		l.watches = append(l.watches, l.store.Watch(l.route.id(l.route.partition(place)), l.heads))
	}
	l.headsRose = true
}

func (l *loop) unwatch() {
	for _, cancel := range l.watches {
		cancel()
	}
	l.watches = nil
}

// brokenf ends the loop because something is not as it must be.
func (l *loop) brokenf(format string, args ...any) {
	l.end(fmt.Errorf("%w: subscription %s: %s", ErrDataLoss, l.name, fmt.Sprintf(format, args...)))
}

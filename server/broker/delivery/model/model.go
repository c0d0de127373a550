package model

import (
	"fmt"
	"time"
)

// Instant is monotonic time since an origin.
type Instant = time.Duration

// Limit bounds what is outstanding; zero fields mean none.
type Limit struct{ Messages, Bytes uint64 }

// Rules are what a subscription is set to.
type Rules struct {
	Exclusive, Failover, Paused  bool
	Subscription, Client, Stream Limit
	LeaseCap, QueueLease         time.Duration
	ResumeWindow                 time.Duration
	BackoffMin, BackoffMax       time.Duration
	MaxWaiting                   uint64
	// MessageRate and ByteRate are of deliveries, a second, Concurrency of what is
	// outstanding; 0: no bound.
	MessageRate, ByteRate float64
	Concurrency           uint64
	// Order is "", "key" or "partition"; Policy "", "park" or "skip".
	Order, Policy string
	// Redriven says that the last partition holds messages that were: of a key they go
	// first.
	Redriven bool
	// DeadLetters says that messages may be given up, after so many attempts or lost
	// deliveries; 0: never.
	DeadLetters bool
	// Exact: exactly once; Forgets: at most once.
	Exact, Forgets             bool
	MaxAttempts, MaxDeliveries uint32
}

// Numbers of the protocol, written down a second time on purpose.
const (
	avoidTime     = 100 * time.Millisecond
	minDelay      = 100 * time.Millisecond
	maxDelay      = 12 * time.Hour
	maxLease      = 12 * time.Hour
	heartbeat     = 10 * time.Second
	silence       = 30 * time.Second
	repeatedSpan  = 1024
	chunkMessages = 4096
	keptFailures  = 8
	// frameOverhead, runOverhead and attemptOverhead are granted to an encoding.
	frameOverhead   = 64
	runOverhead     = 32
	attemptOverhead = 32
)

// Model is the account of one subscription.
type Model struct {
	rules      Rules
	now        Instant
	stalled    Instant
	partitions map[uint32]*partition
	sessions   map[uint64]*Session
	closing    bool
	closeAt    Instant
	closed     bool
	holes      bool // there was one
	parked     map[keyID]*park
	arrivals   uint64
	// hoard is a message that should be asked back, and since when.
	hoard      *message
	hoardSince Instant
	expected   expectations
	// unproved is a settle that a seek came before.
	unproved error
	// open is the content of the change set that is not committed yet.
	open       *changes
	nextChange uint64
	totals     Totals
	stored     map[uint64]*storedSession
	version    uint64
	wrong      error // found in a commit
	held       Limit // by all sessions, as of the last look
	frames     []dispatched
}

// Totals are the counts that a state machine keeps, too.
type Totals struct {
	Delivered, Redelivered, Acked, Retried, Released, Expired, Rejected, DeadLettered uint64
	Removed, Dropped                                                                  uint64
}

// Since returns the counts less those of an earlier time.
func (t Totals) Since(o Totals) Totals {
	return Totals{
		t.Delivered - o.Delivered, t.Redelivered - o.Redelivered, t.Acked - o.Acked,
		t.Retried - o.Retried, t.Released - o.Released, t.Expired - o.Expired,
		t.Rejected - o.Rejected, t.DeadLettered - o.DeadLettered,
		t.Removed - o.Removed, t.Dropped - o.Dropped,
	}
}

// keyID names an ordering key.
type keyID struct {
	p   *partition
	key int
}

// park says whether a key waits to be released, as is and as is written.
type park struct{ is, durable bool }

// partition holds one record for each message.
type partition struct {
	id       uint32
	first    uint64 // offset of messages[0]
	messages []*message
	// live are those that are not durably settled.
	live []*message
	// floor is as last written, committed or not; durableFloor is committed.
	floor, durableFloor uint64
}

// state is where a message stands.
type state uint8

const (
	fresh state = iota
	outstanding
	waiting
	dying // given up, and not stored away yet
	settled
)

// message is the record of one message.
type message struct {
	partition *partition
	offset    uint64
	size      uint64
	key       int // 0: none
	state     state
	delivered bool
	hole      bool
	dropped   bool // settled, though it may be held still
	counts    counts
	// codes are what was said of its failures since a restart.
	codes   []string
	durable durable
	// It is due at the earliest at dueFrom and surely at dueBy.
	dueFrom, dueBy Instant
	avoid          *Session
	avoidUntil     Instant
	prefer         bool
	// While outstanding:
	holder   *Session
	sequence uint64
	sentAt   Instant // lease clock
	started  bool
	attempt  uint32
	recalled bool
	sent     bool // at most once
	reborn   bool // it was given up before a restart: whether its key is parked is seen later
	// Once it is started:
	startedAt Instant // lease clock
	deadline  Instant // lease clock
}

// gone says whether a message is settled, though a session may hold it.
func (msg *message) gone() bool { return msg.durable.settled || msg.dropped }

// counts is how often the delivery of a message came to nothing; charged are the
// failures while there was a bound on them, dead is why it was given up.
type counts struct {
	failed, expired, lost, charged uint32
	dead                           string
}

func (c counts) attempt() uint32 { return 1 + c.failed + c.expired }

// durable is what a store knows of a message.
type durable struct {
	settled bool
	counts  counts
	// notBefore is when it is due after a restart.
	notBefore Instant
}

// New makes the account of a subscription with empty partitions 0..n-1.
func New(rules Rules, partitions int) *Model {
	m := &Model{
		rules: rules, partitions: make(map[uint32]*partition),
		sessions: make(map[uint64]*Session), nextChange: 1,
		parked: make(map[keyID]*park), stored: make(map[uint64]*storedSession),
	}
	for id := range uint32(partitions) {
		m.partitions[id] = &partition{id: id}
	}
	return m
}

// Totals returns the counts so far.
func (m *Model) Totals() Totals { return m.totals }

func (m *Model) leaseClock(t Instant) Instant { return t - m.stalled }

// Publish adds messages of the given sizes and keys to a partition.
func (m *Model) Publish(id uint32, sizes []uint64, keys []int) {
	p := m.partitions[id]
	for i, size := range sizes {
		msg := &message{partition: p, offset: p.head(), size: size, codes: []string{}}
		switch m.rules.Order {
		case "key":
			msg.key = keys[i]
		case "partition":
			msg.key = 1
		}
		p.messages = append(p.messages, msg)
		p.live = append(p.live, msg)
	}
}

func (p *partition) head() uint64 { return p.first + uint64(len(p.messages)) }

func (p *partition) at(offset uint64) *message {
	if offset < p.first || offset >= p.head() {
		return nil
	}
	return p.messages[offset-p.first]
}

// Hole settles first..last, which may lie beyond the head.
func (m *Model) Hole(id uint32, first, last uint64) {
	m.holes = true
	p := m.partitions[id]
	for p.head() <= last {
		msg := &message{partition: p, offset: p.head()}
		p.messages = append(p.messages, msg)
	}
	for offset := first; offset <= last; offset++ {
		msg := p.at(offset)
		if msg.state != outstanding {
			msg.state = settled
		}
		msg.durable, msg.hole = durable{settled: true}, true
	}
	p.prune()
}

// Drop settles everything before an offset, though it is durable only when a change
// set says so.
func (m *Model) Drop(id uint32, below uint64, byRetention bool) {
	m.holes = true
	for _, msg := range m.partitions[id].live {
		if msg.offset >= below || msg.state == settled || msg.gone() {
			continue
		}
		msg.dropped = true
		if msg.state != outstanding {
			msg.state = settled
		}
		if byRetention {
			m.totals.Removed++
		} else {
			m.totals.Dropped++
		}
	}
}

// Bury gives up the oldest messages that nobody got, at most so many.
func (m *Model) Bury(id uint32, most uint64) {
	for _, msg := range m.partitions[id].live {
		if most == 0 {
			return
		}
		if msg.state == fresh && !msg.gone() {
			msg.state, msg.counts.dead = dying, "backlog"
			most--
		}
	}
}

// prune forgets the records of what is durably settled and held by nobody.
func (p *partition) prune() {
	kept := p.live[:0]
	for _, msg := range p.live {
		if !msg.durable.settled || msg.state == outstanding {
			kept = append(kept, msg)
		}
	}
	clear(p.live[len(kept):])
	p.live = kept
}

// each visits what is not durably settled, in order.
func (m *Model) each(visit func(*message)) {
	for id := range uint32(len(m.partitions)) {
		for _, msg := range m.partitions[id].live {
			visit(msg)
		}
	}
}

// Stall tells that the server did not read for a while.
func (m *Model) Stall(d time.Duration) { m.stalled += d }

// Configure replaces the limits.
func (m *Model) Configure(rules Rules) {
	m.configureRate(rules)
	rules.Exclusive, rules.Failover, rules.Order = m.rules.Exclusive, m.rules.Failover, m.rules.Order
	rules.Exact, rules.Forgets = m.rules.Exact, m.rules.Forgets
	m.rules = rules
}

// Advance tells that every event read before now was told: timers fire.
func (m *Model) Advance(now Instant) {
	m.now = now
	m.each(func(msg *message) {
		if msg.state == outstanding {
			m.judge(msg, now)
		}
	})
	m.keepOrder(now)
	for _, x := range m.sessions {
		if !x.absent && !x.closing && !x.pulls && x.heard+silence <= m.leaseClock(now) {
			m.expected.end(x.id, "silent")
			m.lose(x, now)
		}
	}
	for _, x := range m.sessions {
		if x.absent && x.endBy <= m.leaseClock(now) && !m.stillLeased(x) {
			m.endCharged(x, "not resumed", now)
		}
	}
	for _, x := range m.sessions {
		if (x.draining || x.moving) && !x.absent && !x.drainOver && x.drainAt <= now {
			m.endGrace(x, now)
		}
	}
	if m.closing && !m.closed && m.closeAt <= now {
		m.closed = true
		for _, x := range m.sessions {
			if m.rules.Exact {
				m.giveBackUnsent(x, m.now)
				continue
			}
			m.takeBack(x, "drain ended")
		}
	}
}

// Restart forgets everything that is not durable. The caller makes a new state
// machine from the change sets that were committed.
func (m *Model) Restart(now Instant) {
	m.now = now
	for _, x := range m.sessions {
		m.remove(x, "")
	}
	m.expected, m.open, m.nextChange = expectations{}, nil, 1
	m.closing, m.closed, m.frames = false, false, nil
	for _, p := range m.parked {
		p.is = p.durable
	}
	m.each(func(msg *message) {
		msg.holder, msg.delivered, msg.avoid, msg.dropped = nil, false, nil, false
		msg.recalled = false
		msg.counts, msg.codes = msg.durable.counts, nil
		msg.state = fresh
		switch {
		case msg.durable.settled:
			msg.state = settled
		case msg.counts.dead != "":
			msg.state, msg.reborn = dying, true
		case msg.counts != (counts{}):
			msg.state = waiting
			msg.due(msg.durable.notBefore, msg.durable.notBefore, nil, false)
		}
	})
	for _, p := range m.partitions {
		p.floor = p.durableFloor
		p.prune()
	}
	m.restore()
}

// Holder says which session holds a message, 0 for none, and at which attempt its next
// delivery is or this one was.
func (m *Model) Holder(id uint32, offset uint64) (session uint64, attempt uint32) {
	msg := m.partitions[id].at(offset)
	switch {
	case msg == nil || msg.gone():
		return 0, 1
	case msg.holder != nil && !msg.holder.gone:
		session = msg.holder.id
	case msg.state == settled:
		return 0, 1
	}
	return session, msg.counts.attempt()
}

// unsettled counts the messages that are not settled.
func (m *Model) unsettled() (n uint64) {
	m.each(func(msg *message) {
		if msg.state != settled && !msg.gone() {
			n++
		}
	})
	return n
}

func (msg *message) String() string {
	return fmt.Sprintf("message %d/%d", msg.partition.id, msg.offset)
}

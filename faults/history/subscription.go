package history

import "time"

// subscription is one as its users saw it.
type subscription struct {
	id         uint64
	topic      *topic
	made       Instant
	exclusive  bool
	ordered    bool
	keys       map[keyID]*keyLine
	deleted    bool
	deletedAt  Instant
	lease      time.Duration
	minBackoff time.Duration
	maxBackoff time.Duration
	partitions []*subscriptionPartition
	// brokenIn is the last life of the server in which a session broke; 0: none.
	brokenIn uint64
	// credit runs while the server serves and a session has credit to spare; credited
	// counts those sessions.
	credit   stopwatch
	credited int
	// gone is how many messages the server said last, in the life goneLife, that retention
	// or a cap took unsettled; missed how many are below a floor, and were never acked.
	gone, goneLife, missed uint64
}

type subscriptionPartition struct {
	messages []message
	// floor was seen last, in the life floorLife. At that time everything before promised
	// was acked, and that was confirmed.
	floor, floorLife, promised uint64
}

func newSubscription(t *topic, e *Event) *subscription {
	return &subscription{
		id: e.Subscription, topic: t, made: e.At, exclusive: e.Exclusive == 1,
		ordered: e.Ordered == 1, keys: map[keyID]*keyLine{},
		lease:      time.Duration(e.Lease),
		minBackoff: time.Duration(e.MinBackoff), maxBackoff: time.Duration(e.MaxBackoff),
	}
}

func (s *subscription) partition(n uint64) *subscriptionPartition {
	for uint64(len(s.partitions)) <= n {
		s.partitions = append(s.partitions, &subscriptionPartition{})
	}
	return s.partitions[n]
}

// message is the record of what stands at a place.
func (s *subscription) message(at Place) *message {
	p := s.partition(at.Partition)
	p.messages = grown(p.messages, at.Offset)
	return &p.messages[at.Offset]
}

const (
	// shortestBackoff is the least that a retry waits, jitterPercent how far a backoff
	// strays from its nominal value.
	shortestBackoff = 100 * time.Millisecond
	jitterPercent   = 20
	// releaseAvoids is how long a released message may wait for another session.
	releaseAvoids = 100 * time.Millisecond
)

// backoff bounds the wait after a delivery that failed as the given attempt, with a
// delay of its own or none (negative).
func (s *subscription) backoff(attempt uint64, delay time.Duration) (least, most time.Duration) {
	if delay >= 0 {
		return max(delay, shortestBackoff), max(delay, shortestBackoff)
	}
	wait := s.minBackoff
	for ; attempt > 1 && wait < s.maxBackoff; attempt-- {
		wait *= 2
	}
	wait = min(wait, s.maxBackoff)
	spread := wait * jitterPercent / 100
	return max(wait-spread, shortestBackoff), max(wait+spread, shortestBackoff)
}

// stopwatch counts time while it runs.
type stopwatch struct {
	elapsed time.Duration
	since   Instant
	running bool
}

func (w *stopwatch) run(now Instant, running bool) {
	w.elapsed = w.reading(now)
	w.since, w.running = now, running
}

func (w *stopwatch) reading(now Instant) time.Duration {
	if w.running {
		return w.elapsed + now.Sub(w.since)
	}
	return w.elapsed
}

// message is what is known of one message on one subscription.
type message struct {
	// session and sequence are its last delivery. held says that nothing has ended it;
	// came counts them.
	session  *session
	sequence uint64
	came     uint32
	held     bool
	// acked: its ack was confirmed in life ackedLife. mayBeAcked: an ack is without
	// an answer.
	acked, mayBeAcked bool
	ackedLife         uint64
	// attempt was told last. Since then sure charges were made and maybe more ones;
	// one more is sure if it comes again in chargedLife, and may be later. Each loss
	// behind the first so many may have charged it unseen.
	attempt, sure, maybe, losses uint64
	chargedLife                  uint64
	// notBefore is when a retry may come at the earliest; 0: at any time.
	notBefore Instant
	// readyAt is what the subscription's credit clock shows when it must be deliverable;
	// it counts when isReady is set.
	readyAt time.Duration
	isReady bool
	// faulted: its last delivery ended because something died.
	faulted bool
}

func (m *message) ready(at time.Duration) { m.isReady, m.readyAt = true, at }

// isNotNewer says that the message has not come in a later life of the server than a
// session's.
func (m *message) isNotNewer(s *session) bool { return m.session == nil || m.session.life <= s.life }

// of says whether a delivery is the message's last one.
func (m *message) of(s *session, sequence uint64) bool {
	return m.session == s && m.sequence == sequence
}

package history

import (
	"fmt"
	"time"
)

// Bounds are what a history does not say.
type Bounds struct {
	// Late is how long a message may be ready while its subscription has credit and the
	// server serves, before it is too late; 0: for ever.
	Late time.Duration
	// LargestBytes is the size of the largest message: a grant that leaves less may not
	// be enough.
	LargestBytes uint64
	// KeyOf is the ordering key of a message among its publisher's; 0: it has none. Nil:
	// the order of keys is not looked at.
	KeyOf func(MessageID) uint64
}

// Checker compares a history with the promises. Feed it every event in the order of
// their times, and ask it at the end.
type Checker struct {
	bounds Bounds

	counts     Counts
	violations []Violation
	now        Instant

	// launched is the newest life of the server, serving the one that serves; 0: none.
	launched, serving uint64
	drained           bool
	losses            losses

	topics        map[uint64]*topic
	subscriptions map[uint64]*subscription
	publishers    map[uint64]*publisher
	sessions      map[uint64]*session
	open          map[uint64]*session
}

// NewChecker makes a checker.
func NewChecker(b Bounds) *Checker {
	return &Checker{
		bounds:        b,
		topics:        map[uint64]*topic{},
		subscriptions: map[uint64]*subscription{},
		publishers:    map[uint64]*publisher{},
		sessions:      map[uint64]*session{},
		open:          map[uint64]*session{},
	}
}

// Check reads the history in dir and gives every violation.
func Check(dir string, b Bounds) ([]Violation, Counts, error) {
	c := NewChecker(b)
	if err := ReadDir(dir, c.Read); err != nil {
		return nil, Counts{}, err
	}
	return c.Finish(), c.Counts(), nil
}

// Counts are what was read so far.
func (c *Checker) Counts() Counts { return c.counts }

func (c *Checker) brokenf(p Promise, format string, args ...any) {
	c.violations = append(c.violations, Violation{p, fmt.Sprintf(format, args...)})
}

// Read takes the next event.
func (c *Checker) Read(e *Event) {
	c.counts.Events++
	c.now = e.At
	switch e.Kind {
	case ServerLaunched, ServerServing, ServerKilled, ClientKilled, Drained:
		c.readHarness(e)
	case SubscriptionMade, TopicDeleted, SubscriptionDeleted, FloorSeen, HeadSeen, WentUnsettled:
		c.readAdministrator(e)
	case Publishing, Published, Refused, Unknown:
		c.readPublisher(e)
	case SessionOpening:
		c.opening(e)
	case Handed:
		c.handed(e)
	default:
		if e.Kind >= HandsOpening {
			return // Package standing looks at it.
		}
		if s := c.sessions[e.Session]; s != nil {
			c.readSession(s, e)
			return
		}
		c.brokenf(Unreadable, "kind %d of session %d, which was never opened", e.Kind, e.Session)
	}
}

func (c *Checker) readHarness(e *Event) {
	switch e.Kind {
	case ServerLaunched:
		c.endAll(func(s *session) bool { return s.life < e.Life }, byServer)
		c.launched, c.serving = e.Life, 0
	case ServerServing:
		c.counts.Lives++
		c.serving = e.Life
	case ServerKilled:
		c.counts.ServerKills++
		c.serving = 0
		c.endAll(func(s *session) bool { return s.life <= e.Life }, byServer)
	case ClientKilled:
		c.counts.ClientKills++
		c.endAll(func(s *session) bool { return s.client == e.Client }, byClient)
	default:
		c.drained = true
	}
}

func (c *Checker) endAll(which func(*session) bool, how ending) {
	for _, s := range sorted(c.open) {
		if which(s) {
			c.end(s, how)
		}
	}
}

func (c *Checker) readAdministrator(e *Event) {
	switch e.Kind {
	case SubscriptionMade:
		t := c.topic(e.Topic)
		s := newSubscription(t, e)
		t.subscriptions = append(t.subscriptions, s)
		c.subscriptions[e.Subscription] = s
	case TopicDeleted:
		c.topic(e.Topic).deleted = true
	case HeadSeen:
		t := c.topic(e.Topic)
		p := t.partition(e.Partition)
		c.rises("head of partition", t.id, e.Partition, p.head, e.Offset)
		p.head, p.headAtEnd = e.Offset, c.drained
	default:
		s := c.subscriptions[e.Subscription]
		switch {
		case s == nil:
			c.brokenf(Unreadable, "subscription %d was never made", e.Subscription)
		case e.Kind == SubscriptionDeleted:
			s.deleted, s.deletedAt = true, c.now
		case e.Kind == WentUnsettled:
			c.wentUnsettled(s, e)
		default:
			c.floorSeen(s, s.partition(e.Partition), e)
		}
	}
}

// floorSeen: a floor does not go back while a server lives, and not behind what was
// acked and confirmed. One that was seen may not have been durable.
func (c *Checker) floorSeen(s *subscription, p *subscriptionPartition, e *Event) {
	before := p.promised
	if p.floorLife == c.launched {
		before = max(before, p.floor)
	}
	c.rises("floor of subscription", s.id, e.Partition, before, e.Offset)
	p.floor, p.floorLife = e.Offset, c.launched
	// What is confirmed by now was before the next look began.
	for p.promised < uint64(len(p.messages)) && p.messages[p.promised].acked {
		p.promised++
	}
}

// wentUnsettled: the count of what went does not go back while a server lives. What was
// counted may not have been durable.
func (c *Checker) wentUnsettled(s *subscription, e *Event) {
	if s.goneLife == c.launched && e.Count < s.gone {
		c.brokenf(WentBack, "messages that went unsettled on subscription %d, from %d to %d", s.id, s.gone, e.Count)
	}
	s.gone, s.goneLife = e.Count, c.launched
	c.counts.Gone = max(c.counts.Gone, e.Count)
}

func (c *Checker) rises(what string, id, partition, before, now uint64) {
	if now < before {
		c.brokenf(WentBack, "%s %d, partition %d, from %d to %d", what, id, partition, before, now)
	}
}

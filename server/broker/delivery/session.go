package delivery

import "time"

// session is one subscriber's stream, as far as the subscription knows it.
type session struct {
	id SessionID
	// incarnation is that of its stream.
	incarnation uint32
	clientID    string
	client      *client // nil without a client id
	replenish   Replenish
	// lease is the work lease of its deliveries; ownLease says that it asked for it,
	// else it follows the subscription's.
	lease    time.Duration
	ownLease bool
	// tellsStarted says that the work lease begins with a Started, not at delivery.
	tellsStarted bool
	keyBatches   bool
	// answersRecall: what it did not start may be asked back; unstarted counts that.
	answersRecall bool
	unstarted     uint64
	// standby: another session of a failover subscription is served; order is by when
	// they came.
	standby bool
	order   uint64
	// resumes: it may be taken up again; absent: it has no stream, and waits for that
	// until resumeBy, on the lease clock.
	resumes  bool
	absent   bool
	resumeBy Instant
	// endBy is when its absence is looked at: at resumeBy, and, exactly once, when what
	// it still has leased ends.
	endBy       Instant
	absentTimer int // place in State.absences
	// maxMessage is the largest message that fits into one of its frames.
	maxMessage uint64
	maxFrame   uint64
	since      Instant
	index      int // place in State.sessions

	credit
	outstanding
	replies
	reporting

	writable bool
	// serving: it may get deliveries, so far; draining: the client wants no more;
	// closing: the client has closed its side; gone: the stream has ended, and what
	// still points here must not use it.
	serving  bool
	draining bool
	// pulls: it has no stream; leaving: who pulled waits no more; hasLeft: it is sent
	// nothing more.
	pulls   bool
	leaving bool
	hasLeft bool
	closing bool
	gone    bool
	// moving: it was told to leave its stream; forgiven: it waits without one because
	// of that, and is charged nothing.
	moving   bool
	forgiven bool
	// drainAt is when the rest is released; drainTold that Drained was sent.
	drainAt   Instant
	drainTold bool
	finishing bool // in State.finishing
	// book is what is written down of it, when it is exactly-once.
	book book

	// waitsFor is the size of the message that its byte credit is too small for.
	waitsFor uint64
	// holds is the message it keeps itself empty for.
	holds *redelivery
	// shunned holds the redeliveries that it alone is not to get.
	shunned heap[*redelivery]
	// own holds those that it alone may get, behind what it has of their keys.
	own heap[*redelivery]

	eligibleAt int  // place in picker.eligible
	shortAt    int  // place in picker.short
	shunnerAt  int  // place in pool.shunners
	inTurn     bool // picked in this turn
	servedTurn uint64
	shortLeft  uint64 // its byte credit when it was put into picker.short
	delivered  uint64
	drainTimer int // place in State.drains
}

// client is what the sessions of one client id share.
type client struct {
	id       string
	ceiling  ceiling
	sessions []*session
}

func (s *State) newSession(e *Attach) *session {
	x := &session{
		id: e.Session, incarnation: e.Incarnation, clientID: e.ClientID, replenish: e.Replenish, since: e.At,
		lease: orDefault(e.Lease, s.config.Lease), ownLease: e.Lease != 0,
		replies: replies{maxFailures: maxFailures},
		index:   len(s.sessions), writable: true, serving: true, shunned: newOffsetHeap(), own: newOffsetHeap(),
	}
	x.features(e.Features)
	x.frames(e.MaxFrameBytes)
	if s.exact {
		x.maxFailures = maxExactFailures
		x.book.self.x = x
	}
	x.window = e.Window
	if e.Pull {
		x.pull(e)
	}
	x.stream.limit = x.streamLimit(s.config.Stream)
	if e.ClientID != "" {
		x.client = s.client(e.ClientID)
		x.client.sessions = append(x.client.sessions, x)
	}
	return x
}

// features sets what the client can do.
func (x *session) features(f Features) {
	x.tellsStarted, x.keyBatches, x.resumes = f&TellsStarted != 0, f&KeyBatches != 0, f&Resumes != 0
	x.answersRecall = x.tellsStarted && f&AnswersRecall != 0
}

// frames sets the largest frame that the client takes, 0 for the default.
func (x *session) frames(bytes uint64) {
	x.maxFrame = orDefault(bytes, DefaultMaxFrameBytes)
	x.maxMessage = x.maxFrame - min(x.maxFrame, FrameBytes+RunBytes+AttemptBytes)
}

func (s *State) client(id string) *client {
	c := s.clients[id]
	if c == nil {
		c = &client{id: id}
		c.ceiling.limit = s.config.Client.credit()
		s.clients[id] = c
	}
	return c
}

// leaveClient takes the session out of its client, which goes with its last one.
func (s *State) leaveClient(x *session) {
	c := x.client
	if c == nil {
		return
	}
	for i, y := range c.sessions {
		if y == x {
			c.sessions = append(c.sessions[:i], c.sessions[i+1:]...)
			break
		}
	}
	if len(c.sessions) == 0 {
		delete(s.clients, c.id)
	}
}

// remove forgets a session whose deliveries have ended.
func (s *State) remove(x *session) {
	s.stopServing(x)
	x.gone = true
	if s.exact {
		s.closeBook(x)
	}
	s.unavoid(x)
	s.leaveClient(x)
	s.drains.remove(x)
	s.beats.remove(x)
	s.silences.remove(x)
	s.absences.remove(x)
	end := len(s.sessions) - 1
	last := s.sessions[end]
	s.sessions[x.index], last.index = last, x.index
	s.sessions[end] = nil
	s.sessions = s.sessions[:end]
	delete(s.byID, x.id)
	s.replan()
	s.changed = true
}

// stopServing stops deliveries to a session, for good.
func (s *State) stopServing(x *session) {
	if !x.serving {
		return
	}
	x.serving = false
	s.openSessions--
	s.succeed(x)
	s.unhold(x)
	s.place(x)
	s.changed = true
}

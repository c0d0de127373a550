package delivery

// frame is a Deliver being filled.
type frame struct {
	x   *session
	out *Deliver
	// slots is how many messages may still go in, by share and message credit.
	slots uint64
	// space is what is left of the session's frame size, turn of TurnBytes.
	space uint64
	turn  uint64
	block *block
	seg   *segment // of the last run
	done  bool
	// pins are the segments that an unsent frame keeps.
	pins []*segment
	// avoid is whom the message that is being offered is not to go to.
	avoid *session
	// progress says that others may be offered another message than before.
	progress bool
}

// fit is what became of a message that was offered to a frame, the worse the
// later: of several limits the last one counts.
type fit uint8

const (
	// fits: it can go in.
	fits fit = iota
	// alone: larger than a ceiling against which nothing is outstanding.
	alone
	// full: this frame has no room; the next one may.
	full
	// short: the session's byte credit does not suffice; it waits.
	short
	// capped: the subscription's ceiling has no room for it; everybody waits.
	capped
	// oversize: larger than a ceiling against which something is outstanding.
	oversize
	// tooLarge: larger than the session's frames.
	tooLarge
)

func (s *State) begin(f *frame, x *session, share uint64) {
	left := x.left().least(s.ceiling.room())
	*f = frame{
		x: x, slots: min(share, left.Messages), turn: s.config.TurnBytes,
		space: x.maxFrame - min(x.maxFrame, FrameBytes),
	}
	if s.cap.on {
		f.slots, f.turn = min(f.slots, s.cap.messages.left()), min(f.turn, s.cap.bytes.left())
	}
	f.done = f.slots == 0
}

// fit returns how many of n messages can go into the frame, at least 1, or 0 and
// why the first one cannot.
func (s *State) fit(f *frame, g *segment, first, n uint64, attempt uint32) (uint64, fit) {
	n = min(n, f.slots)
	overhead := f.overhead(g, first, attempt)
	if overhead > f.space {
		return 0, full.orTooLarge(f)
	}
	left := min(f.x.left().Bytes, s.ceiling.room().Bytes)
	if k := g.fit(first, n, min(left, f.space-overhead, f.turn)); k > 0 {
		return k, fits
	}
	size := g.bytes(first, 1)
	switch {
	case size > f.x.maxMessage:
		return 0, tooLarge
	case size > f.space-overhead, f.out != nil && size > f.turn:
		return 0, full
	}
	switch admitted := s.admit(f.x, size); admitted {
	case fits:
		return 1, fits
	case alone:
		if s.anotherCan(f.x, size, f.avoid) {
			return 0, oversize
		}
		return 1, fits
	default:
		return 0, admitted
	}
}

// orTooLarge is for a frame too small for any message.
func (full fit) orTooLarge(f *frame) fit {
	if f.out == nil {
		return tooLarge
	}
	return full
}

// admit judges one message by the credit and the ceilings of a session.
func (s *State) admit(x *session, size uint64) fit {
	if !x.affords(size) {
		return short
	}
	result := x.stream.admit(size, short)
	if x.client != nil {
		result = max(result, x.client.ceiling.admit(size, short))
	}
	return max(result, s.ceiling.admit(size, capped))
}

// admit judges one message by a ceiling; a message that fits the ceiling but not
// what is left of it has to wait.
func (c *ceiling) admit(size uint64, wait fit) fit {
	switch {
	case size <= c.room().Bytes:
		return fits
	case size <= c.limit.Bytes:
		return wait
	case c.held.Messages == 0:
		return alone
	default:
		return oversize
	}
}

// affords says whether a Manual session may be sent one message: within its
// grant, or as the first thing charged since a grant raised it.
func (x *session) affords(size uint64) bool {
	left := x.grantLeft().Bytes
	return size <= left || left > 0 && x.charged == x.raisedAt
}

// overhead is what a run costs in the frame beside its messages.
func (f *frame) overhead(g *segment, first uint64, attempt uint32) (n uint64) {
	if !f.runContinues(g, first) {
		n += RunBytes
	}
	if attempt > 1 && (f.out == nil || !f.attemptContinues(attempt)) {
		n += AttemptBytes
	}
	return n
}

func (f *frame) runContinues(g *segment, first uint64) bool {
	if f.seg != g {
		return false
	}
	last := &f.out.Runs[len(f.out.Runs)-1]
	return last.First+uint64(last.Count) == first
}

func (f *frame) attemptContinues(attempt uint32) bool {
	n := len(f.out.Attempts)
	if n == 0 {
		return false
	}
	last := &f.out.Attempts[n-1]
	return last.Attempt == attempt && last.Index+last.Count == f.out.Messages
}

// put puts n messages into the frame.
func (s *State) put(f *frame, g *segment, first, n uint64, attempt uint32) {
	bytes := g.bytes(first, n)
	f.space -= bytes + f.overhead(g, first, attempt)
	f.turn -= min(f.turn, bytes)
	f.slots -= n
	f.done = f.slots == 0
	if f.out == nil {
		f.out = s.newDeliver()
		f.out.Session, f.out.FirstSequence = f.x.id, f.x.sent+1
	}
	if attempt > 1 {
		f.addAttempt(attempt, uint32(n))
	}
	f.addRun(g, first, uint32(n))
	f.out.Messages += uint32(n)
	f.out.Bytes += bytes
	if g.keyed() {
		s.sentOf(f.x, g, first, n, f.x.sent+1, attempt)
	}
	if s.guarded {
		f.pin(g)
	}
	if !s.forgets {
		f.block = s.record(f.x, g, first, n, f.block)
	}
	s.chargeDelivery(f.x, n, bytes)
	g.p.counters.Delivered += n
}

func (f *frame) addAttempt(attempt, n uint32) {
	if f.attemptContinues(attempt) {
		f.out.Attempts[len(f.out.Attempts)-1].Count += n
		return
	}
	f.out.Attempts = append(f.out.Attempts, AttemptRun{Index: f.out.Messages, Count: n, Attempt: attempt})
}

func (f *frame) addRun(g *segment, first uint64, n uint32) {
	if f.runContinues(g, first) {
		f.out.Runs[len(f.out.Runs)-1].Count += n
		return
	}
	f.seg = g
	f.out.Runs = append(f.out.Runs, Run{Partition: g.p.id, First: first, Count: n})
}

// finishFrame says whether anything went in, or was put aside.
func (s *State) finishFrame(f *frame) bool {
	if f.out == nil {
		return f.progress
	}
	f.out.ChargedBytes = f.x.charged
	f.x.delivered += uint64(f.out.Messages)
	f.x.servedTurn = s.turn
	if s.cap.on {
		s.cap.take(uint64(f.out.Messages), f.out.Bytes)
	}
	if s.guarded {
		s.holdBack(f)
		return true
	}
	s.sent(f.x)
	return true
}

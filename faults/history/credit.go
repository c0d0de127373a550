package history

// queuedFrames is more frames than the server keeps for one session: so many later,
// whatever was decided before an answer has come.
const queuedFrames = 8

// credit is what a session may be sent, and what it has.
type credit struct {
	manual bool
	// limits are those that the server may go by, the newest last.
	limits []limit
	// messages and bytes are outstanding, as far as the client knows.
	messages, bytes uint64
	// counted: the session is one of those that have credit to spare.
	counted bool
}

// limit is a window or a grant.
type limit struct {
	messages, bytes uint64
	// settle is the number of the last settle before it: once a later one is confirmed,
	// the server has read the limit. frame is how many frames had come then; 0: it may
	// not have read it.
	settle uint64
	read   bool
	frame  int
}

func newCredit(e *Event) credit {
	k := credit{manual: e.Manual == 1}
	k.limits = []limit{{messages: e.Count, bytes: e.Bytes}}
	return k
}

// limit sets a window or grant.
func (k *credit) limit(messages, bytes, settle uint64) {
	k.limits = append(k.limits, limit{messages: messages, bytes: bytes, settle: settle})
}

// confirmed notes that the server has read all up to a settle.
func (k *credit) confirmed(settle uint64, frames int) {
	for i := range k.limits {
		if l := &k.limits[i]; !l.read && settle > l.settle {
			l.read, l.frame = true, frames
		}
	}
}

// retire drops the limits that the server does not go by any more.
func (k *credit) retire(frames int) {
	for len(k.limits) > 1 && k.limits[1].read && frames > k.limits[1].frame+queuedFrames {
		k.limits = k.limits[1:]
	}
}

// most is the most that the server may go by, in each unit.
func (k *credit) most() (messages, bytes uint64) {
	for _, l := range k.limits {
		messages, bytes = max(messages, l.messages), max(bytes, l.bytes)
	}
	return messages, bytes
}

// plenty says that there is credit to spare, whatever the server has read: half of a
// window, or a message of a grant, and the largest one's bytes.
func (k *credit) plenty(s *session, largest uint64) bool {
	l := k.limits[len(k.limits)-1]
	if l.messages == 0 || l.bytes == 0 {
		return false
	}
	if k.manual {
		return uint64(len(s.deliveries)) < l.messages && s.charged+largest <= l.bytes
	}
	return 2*k.messages <= l.messages && 2*k.bytes <= l.bytes
}

// checkCredit looks whether a delivery was within its session's credit. It is not
// among the session's deliveries yet.
func (c *Checker) checkCredit(s *session, e *Event) {
	k := &s.credit
	k.retire(s.frames)
	messages, bytes := k.most()
	if k.manual {
		c.checkGrant(s, e, messages, bytes)
		return
	}
	held, heldBytes := k.messages, k.bytes
	if held >= messages || heldBytes+e.Bytes > bytes && held > 0 {
		held, heldBytes = s.surelyHeld(c.now)
	}
	switch {
	case held >= messages:
		c.brokenf(OverCredited, "%d outstanding with sequence %d, window %d: %s", held+1, e.Sequence, messages, s)
	case heldBytes+e.Bytes > bytes && held > 0:
		c.brokenf(OverCredited, "%d bytes outstanding with sequence %d, window %d: %s", heldBytes+e.Bytes, e.Sequence, bytes, s)
	}
}

// checkGrant: a message larger than what is left of the bytes may come while some are
// left, and then nothing more.
func (c *Checker) checkGrant(s *session, e *Event, messages, bytes uint64) {
	switch before := e.Charged - e.Bytes; {
	case e.Sequence > messages:
		c.brokenf(OverCredited, "sequence %d, granted %d: %s", e.Sequence, messages, s)
	case e.Charged > bytes && before >= bytes:
		c.brokenf(OverCredited, "%d bytes charged, then %d more, granted %d: %s", before, e.Bytes, bytes, s)
	}
}

// surelyHeld counts what is outstanding and whose lease cannot have ended.
func (s *session) surelyHeld(now Instant) (messages, bytes uint64) {
	for i := range s.deliveries {
		d := &s.deliveries[i]
		if !d.over && d.verdict == 0 && !d.leaseMayBeOver(s, now) {
			messages++
			bytes += d.bytes
		}
	}
	return messages, bytes
}

// took counts a delivery as outstanding, gave one as not.
func (k *credit) took(bytes uint64) {
	k.messages++
	k.bytes += bytes
}

func (k *credit) gave(bytes uint64) {
	k.messages--
	k.bytes -= bytes
}

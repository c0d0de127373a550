package delivery

import "math/bits"

// Decided are the effects that Apply has decided on: Next will hand them out first.
func Decided(s *State) []Effect { return s.out.effects }

// Unsent lists the frames that wait for a commit, those that were given up left out, and
// how many have left the line.
func Unsent(s *State) (frames []*Deliver, left uint64) {
	for i := range s.unsent.frames.len() {
		u := s.unsent.frames.at(i)
		if u.x == nil {
			frames = append(frames, nil)
			continue
		}
		frames = append(frames, u.out)
	}
	return frames, s.unsent.left
}

func (p *partition) holds(offset uint64) bool {
	_, held := p.held.find(offset)
	return held
}

// checkPages compares the pages of exactly-once sessions with their blocks.
func (x *session) checkPages() (bad string) {
	used := 0
	for _, b := range x.blocks {
		if b.live == 0 {
			continue
		}
		used++
		switch {
		case b.page == nil || b.page.b != b:
			return "a block has no page"
		case x.book.slots[b.page.slot-1] != b.page:
			return "a page is not in its slot"
		case bits.OnesCount64(b.live) > int(b.n):
			return "a block holds more than it has"
		}
	}
	for _, p := range x.book.slots {
		if p.b == nil && p.queued {
			used++
		}
	}
	if used+len(x.book.spare) != len(x.book.slots) {
		return "slots are lost"
	}
	return ""
}

// forgotten is what is charged for messages that are settled already and wait to be sent.
func (x *session) forgotten(s *State) (c Credit) {
	for i := range s.unsent.frames.len() {
		if u := s.unsent.frames.at(i); s.forgets && u.x == x {
			c.Messages += uint64(u.out.Messages)
			c.Bytes += u.out.Bytes
		}
	}
	return c
}

// LimitPages sets the bound on the pages in a change set.
func LimitPages(s *State, keys int) { s.ledger.limit = keys }

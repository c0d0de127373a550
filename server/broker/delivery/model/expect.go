package model

import (
	"fmt"
	"slices"
)

// expectations are effects that must come before the turn ends.
type expectations struct {
	attached map[uint64]bool
	goAways  map[uint64]int
	ends     map[uint64][]string
	revoked  map[revocation]string
	resumed  map[uint64]resumed
}

type revocation struct{ session, sequence uint64 }

func (e *expectations) attach(id uint64) {
	if e.attached == nil {
		e.attached = make(map[uint64]bool)
	}
	e.attached[id] = true
}

func (e *expectations) resume(id uint64, r resumed) {
	if e.resumed == nil {
		e.resumed = make(map[uint64]resumed)
	}
	e.resumed[id] = r
}

func (e *expectations) goAway(id uint64) {
	if e.goAways == nil {
		e.goAways = make(map[uint64]int)
	}
	e.goAways[id]++
}

func (e *expectations) end(id uint64, reason string) {
	if e.ends == nil {
		e.ends = make(map[uint64][]string)
	}
	e.ends[id] = append(e.ends[id], reason)
}

func (e *expectations) revoke(session, sequence uint64, reason string) {
	if e.revoked == nil {
		e.revoked = make(map[revocation]string)
	}
	e.revoked[revocation{session, sequence}] = reason
}

// revoke expects a session to be told that a delivery is not its own any more; there is
// nobody to tell of one that pulled and has left.
func (m *Model) revoke(x *Session, sequence uint64, reason string) {
	if !x.left {
		m.expected.revoke(x.id, sequence, reason)
	}
}

func (e *expectations) ended(id uint64, reason string) error {
	i := slices.Index(e.ends[id], reason)
	if i < 0 {
		return fmt.Errorf("session %d ended (%s), expected %q", id, reason, e.ends[id])
	}
	e.ends[id] = slices.Delete(e.ends[id], i, i+1)
	return nil
}

// Revoked notes that a session was told that first..last are no longer its own.
func (m *Model) Revoked(session, first, last uint64, reason string) error {
	for sequence := first; sequence <= last; sequence++ {
		r := revocation{session, sequence}
		if m.expected.revoked[r] != reason {
			return fmt.Errorf("session %d: sequence %d revoked (%s), expected %q", session, sequence, reason, m.expected.revoked[r])
		}
		delete(m.expected.revoked, r)
	}
	m.touch(session)
	return nil
}

// missing says what was expected and did not come.
func (e *expectations) missing() error {
	for id := range e.attached {
		return fmt.Errorf("session %d was not admitted", id)
	}
	for id := range e.resumed {
		return fmt.Errorf("session %d was not taken up again", id)
	}
	for id := range e.goAways {
		return fmt.Errorf("session %d was not told to go away", id)
	}
	for id, reasons := range e.ends {
		if len(reasons) > 0 {
			return fmt.Errorf("session %d was not ended %q", id, reasons)
		}
	}
	for r, reason := range e.revoked {
		return fmt.Errorf("session %d: sequence %d was not revoked (%s)", r.session, r.sequence, reason)
	}
	return nil
}

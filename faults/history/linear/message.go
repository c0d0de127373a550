package linear

import (
	"github.com/anishathalye/porcupine"
)

// step is something that happens to one message on one subscription.
type step struct {
	kind    stepKind
	session uint64
	attempt uint64
	// open: nobody knows whether it happened. soft: nor whether it is durable.
	open, soft bool
}

type stepKind uint8

const (
	// published: it is stored.
	published stepKind = iota + 1
	// delivered: a session got it, as an attempt.
	delivered
	// acked, failed, released: a session's settle reached it; stale: one did not.
	acked
	failed
	released
	stale
	// expired: its lease ended. revoked: it was taken away, uncharged.
	expired
	revoked
	// closed: its session was closed in order. broken: it broke, or its client died.
	closed
	broken
	// restarted: the server died, and another one serves.
	restarted
)

// state is where a message is.
type state struct {
	where   whereabouts
	session uint64
	attempt uint64
	// soft: the last charge may not be durable yet.
	soft bool
}

type whereabouts uint8

const (
	nowhere whereabouts = iota
	waiting
	held
	gone
)

// message checks the history of one message on one subscription.
func message(operations []porcupine.Operation) Verdict {
	return check(&porcupine.NondeterministicModel{
		Init: func() []any { return choice(state{}) },
		Step: func(s, in, _ any) []any {
			at, _ := s.(state) // The model's own.
			x, _ := in.(step)  // Likewise.
			return at.step(x)
		},
	}, operations)
}

// step gives the states that something may lead to.
func (s state) step(x step) []any {
	if x.open {
		x.open, x.soft = false, true
		return append(s.step(x), s)
	}
	mine := s.where == held && s.session == x.session
	back := state{where: waiting, attempt: s.attempt}
	charged := state{where: waiting, attempt: s.attempt + 1, soft: true}
	switch x.kind {
	case published:
		return when(s.where == nowhere, state{where: waiting, attempt: 1})
	case delivered:
		return when(s.where == waiting && s.attempt == x.attempt, state{where: held, session: x.session, attempt: s.attempt})
	case acked:
		return when(mine, state{where: gone})
	case failed: // It is confirmed when it is durable; one without an answer may not be.
		charged.soft = x.soft
		return when(mine, charged)
	case expired:
		return when(mine, charged)
	case released, revoked:
		return when(mine, back)
	case stale:
		return when(!mine, s)
	default:
		return s.end(x, mine, back, charged)
	}
}

// end is the end of a session, or of all.
func (s state) end(x step, mine bool, back, charged state) []any {
	switch {
	case x.kind == restarted && s.soft:
		return choice(state{where: waiting, attempt: s.attempt - 1}, state{where: waiting, attempt: s.attempt})
	case x.kind == restarted && s.where == held, x.kind == closed && mine:
		return choice(back)
	case x.kind == broken && mine:
		return choice(charged)
	case x.kind == broken && s.where == waiting:
		// It may have been on its way to the client that died.
		return choice(s, charged)
	default:
		return choice(s)
	}
}

func when(legal bool, then state) []any {
	if !legal {
		return nil
	}
	return choice(then)
}

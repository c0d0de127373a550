package linear

import (
	"github.com/anishathalye/porcupine"

	"github.com/headrace/headrace/faults/history"
)

// Call is what a client asks of a name.
type Call uint8

// The calls.
const (
	Create Call = iota + 1
	Update
	Delete
	Get
)

// Answer is what it is told.
type Answer uint8

// The answers. NoAnswer: it may have happened, or not.
const (
	NoAnswer Answer = iota
	Done
	Exists
	NotFound
)

// CatalogCall is one call for one name, with its answer. Label is what Create and Update
// set, and what Get found.
type CatalogCall struct {
	Call     Call
	Label    int
	Answer   Answer
	At, Told history.Instant
}

// name is the state of one name.
type name struct {
	state uint8
	label int
}

// A name that was deleted is free only when everything is gone, at some time later.
const (
	free uint8 = iota
	taken
	going
)

// Catalog checks the history of one name.
func Catalog(calls []CatalogCall) Verdict {
	operations := make([]porcupine.Operation, len(calls))
	for i := range calls {
		c := &calls[i]
		told := c.Told
		if c.Answer == NoAnswer {
			told = never
		}
		operations[i] = operation(c, c.At, told)
	}
	return check(&porcupine.NondeterministicModel{
		Init: func() []any { return choice(name{}) },
		Step: func(state, in, _ any) []any {
			n, _ := state.(name)      // The model's own.
			c, _ := in.(*CatalogCall) // Likewise.
			return n.step(c)
		},
	}, operations)
}

// step gives the states that a call may lead to.
func (n name) step(c *CatalogCall) []any {
	if c.Answer == NoAnswer {
		done := *c
		done.Answer = Done
		return append(n.step(&done), n)
	}
	switch c.Call {
	case Create:
		return n.create(c)
	case Update:
		return n.change(c, name{taken, c.Label})
	case Delete:
		return n.change(c, name{state: going})
	default:
		found := c.Answer == Done && n.state == taken && n.label == c.Label
		return n.unchanged(found || c.Answer == NotFound && n.state != taken)
	}
}

func (n name) create(c *CatalogCall) []any {
	switch {
	case c.Answer == Done && n.state != taken:
		return choice(name{taken, c.Label})
	case c.Answer == Exists:
		return n.unchanged(n.state != free)
	default:
		return nil
	}
}

// change is a call that needs the name, and what it makes of it.
func (n name) change(c *CatalogCall, then name) []any {
	switch {
	case c.Answer == Done && n.state == taken:
		return choice(then)
	case c.Answer == NotFound:
		return n.unchanged(n.state != taken)
	default:
		return nil
	}
}

func (n name) unchanged(legal bool) []any {
	if !legal {
		return nil
	}
	return choice(n)
}

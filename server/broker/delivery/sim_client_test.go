package delivery_test

import (
	"github.com/headrace/headrace/server/broker/delivery"
)

// simClient is a subscriber as it knows itself.
type simClient struct {
	id     delivery.SessionID
	manual bool
	pulls  bool
	// incarnation is that of its stream.
	incarnation uint32
	sent        uint64   // last sequence received
	charged     uint64   // last charge received
	holds       []uint64 // sequences that it has not settled, as far as it knows
	number      uint64   // last settle number used
	admitted    bool
	asked       []delivery.SequenceRange // back, and not answered yet
	// unconfirmed are its settles and extensions that it may have to send again.
	unconfirmed []delivery.Event
}

func (c *simClient) received(e *delivery.Deliver) {
	for i := range uint64(e.Messages) {
		c.holds = append(c.holds, e.FirstSequence+i)
	}
	c.sent = e.FirstSequence + uint64(e.Messages) - 1
	c.charged = e.ChargedBytes
}

func (s *sim) client(id delivery.SessionID) *simClient {
	for _, c := range s.clients {
		if c.id == id {
			return c
		}
	}
	return nil
}

func (s *sim) forgetClient(id delivery.SessionID) {
	for i, c := range s.clients {
		if c.id == id {
			s.clients = append(s.clients[:i], s.clients[i+1:]...)
			return
		}
	}
}

// anyClient returns a random client, nil when there is none.
func (s *sim) anyClient() *simClient {
	if len(s.clients) == 0 {
		return nil
	}
	return s.clients[s.IntN(len(s.clients))]
}

// ranges picks sequences of a client: mostly what it holds, sometimes anything.
func (s *sim) ranges(c *simClient) (all []delivery.SequenceRange) {
	if len(c.holds) > 0 && !s.one(20) {
		n := 1 + s.IntN(len(c.holds))
		if s.one(2) {
			n = min(n, 5)
		}
		from := s.IntN(len(c.holds) - n + 1)
		stride := 1 + s.IntN(2)
		for i := from; i < from+n; i += stride {
			all = appendSequence(all, c.holds[i])
		}
		if s.one(5) {
			s.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		}
		return all
	}
	first := uint64(s.IntN(int(c.sent) + 5))
	return []delivery.SequenceRange{{First: first, Last: first + uint64(s.IntN(10))}}
}

func appendSequence(all []delivery.SequenceRange, sequence uint64) []delivery.SequenceRange {
	if n := len(all); n > 0 && all[n-1].Last+1 == sequence {
		all[n-1].Last = sequence
		return all
	}
	return append(all, delivery.SequenceRange{First: sequence, Last: sequence})
}

func (c *simClient) let(ranges []delivery.SequenceRange) {
	kept := c.holds[:0]
	for _, sequence := range c.holds {
		in := false
		for _, r := range ranges {
			in = in || r.First <= sequence && sequence <= r.Last
		}
		if !in {
			kept = append(kept, sequence)
		}
	}
	c.holds = kept
}

func (s *sim) number(c *simClient) uint64 {
	switch {
	case c.number > 0 && s.one(20):
		return c.number - uint64(s.IntN(int(min(c.number, 50))))
	case s.one(500):
		c.number += 2
	default:
		c.number++
	}
	return c.number
}

package rules

import (
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/conformance/record"
)

// session is a session, as far as its frames tell.
type session struct {
	manual bool
	// windows and grants are those that may be in force at the server.
	windows, grants inForce
	charged         uint64
	// held are the bytes of each delivery that is not settled.
	held map[uint64]uint64
	// heldBefore is what held was when the stream was opened.
	heldBefore map[uint64]uint64
	last       uint64
	// verdicts is by which number each delivery was settled.
	verdicts map[uint64]uint64
	// sent are the settles and extends by their numbers, as they were sent first.
	sent map[uint64]record.Event
	// next is the number that the next one has.
	next, confirmed uint64
	// resumed says that the stream took the session up: numbers may come again.
	resumed bool
	// open is how the stream began.
	open *headracev1.SubscribeRequest_Open
}

// amount is credit, or what uses it up.
type amount struct{ messages, bytes uint64 }

// walk goes through the frames of all sessions, and calls look for each with the
// session as it was before the frame, but for Opened; the first error ends it.
func walk(events []record.Event, look func(s *session, e *record.Event) error) error {
	sessions, streams := map[string]*session{}, map[string]*session{}
	for n := range events {
		e := &events[n]
		if e.Frame == nil {
			continue
		}
		stream := e.Fields["stream"]
		if open, ok := e.Frame.(*headracev1.SubscribeRequest_Open); ok {
			streams[stream] = &session{open: open}
			continue
		}
		s := streams[stream]
		if opened, ok := e.Frame.(*headracev1.SubscribeResponse_Opened); ok && s != nil {
			s = takeUp(sessions[opened.GetSessionId()], s.open, opened)
			sessions[opened.GetSessionId()], streams[stream] = s, s
		}
		if s == nil || s.held == nil {
			continue
		}
		if err := look(s, e); err != nil {
			return err
		}
		s.apply(e)
	}
	return nil
}

// takeUp is the session of a stream that was answered.
func takeUp(before *session, open *headracev1.SubscribeRequest_Open, opened *headracev1.SubscribeResponse_Opened) *session {
	s := before
	if opened.GetResumed() == nil || before == nil {
		s = &session{
			held: map[uint64]uint64{}, verdicts: map[uint64]uint64{}, sent: map[uint64]record.Event{}, next: 1,
		}
	}
	s.open, s.resumed = open, opened.GetResumed() != nil
	s.manual = open.GetReplenish() == headracev1.Replenish_REPLENISH_MANUAL
	s.windows, s.grants = inForce{}, inForce{}
	s.setWindow(open.GetWindow())
	s.heldBefore = s.held
	if s.resumed {
		s.keep(opened.GetResumed())
	}
	return s
}

func (s *session) setWindow(w *headracev1.SubscribeRequest_Window) {
	if w != nil {
		s.windows.add(amount{w.GetMessages(), w.GetBytes()}, s.next)
	}
}

// keep drops what a resumed session no longer has.
func (s *session) keep(r *headracev1.SubscribeResponse_Resumed) {
	kept := map[uint64]uint64{}
	each(r.GetKept(), func(n uint64) {
		if bytes, ok := s.held[n]; ok {
			kept[n] = bytes
		}
	})
	s.held, s.last, s.charged = kept, r.GetNextSequence()-1, r.GetChargedBytes()
}

func (s *session) apply(e *record.Event) {
	switch f := e.Frame.(type) {
	case *headracev1.SubscribeRequest_Window:
		s.setWindow(f)
	case *headracev1.SubscribeRequest_Grant:
		s.grants.add(amount{f.GetThroughSequence(), f.GetThroughBytes()}, s.next)
	case *headracev1.SubscribeRequest_Settle:
		s.number(f.GetNumber(), e)
		each(f.GetRanges(), func(n uint64) {
			delete(s.held, n)
			if _, ok := s.verdicts[n]; !ok {
				s.verdicts[n] = f.GetNumber()
			}
		})
	case *headracev1.SubscribeRequest_Extend:
		s.number(f.GetNumber(), e)
	case *headracev1.SubscribeResponse_SettleResult:
		s.confirmed = max(s.confirmed, f.GetConfirmedThrough())
		s.windows.read(s.confirmed)
		s.grants.read(s.confirmed)
	case *headracev1.SubscribeResponse_Revoked:
		each(f.GetRanges(), func(n uint64) { delete(s.held, n) })
	case *headracev1.SubscribeResponse_Batch:
		s.deliver(f)
		s.windows.batch()
		s.grants.batch()
	}
}

func (s *session) number(n uint64, e *record.Event) {
	if _, ok := s.sent[n]; !ok {
		s.sent[n] = *e
	}
	s.next = max(s.next, n+1)
}

// deliver charges a batch: what its messages take, and the rest to the last of them.
func (s *session) deliver(b *headracev1.SubscribeResponse_Batch) {
	count := uint64(len(b.GetMessages()))
	if count == 0 {
		return
	}
	share := (b.GetChargedBytes() - s.charged) / count
	for n := range count {
		s.held[b.GetFirstSequence()+n] = share
	}
	s.last, s.charged = b.GetFirstSequence()+count-1, b.GetChargedBytes()
}

// outstanding is what the session holds.
func (s *session) outstanding() amount {
	var a amount
	for _, bytes := range s.held {
		a.messages++
		a.bytes += bytes
	}
	return a
}

func each(ranges []*headracev1.SequenceRange, do func(n uint64)) {
	for _, r := range ranges {
		for n := r.GetFirst(); n <= r.GetLast(); n++ {
			do(n)
		}
	}
}

package rules

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/conformance/record"
)

// errNumber is returned when a settle or an extend has a number that is not its.
var errNumber = errors.New("not the next number")

// numberOf is the number of a settle or an extend; 0 for other frames.
func numberOf(e *record.Event) uint64 {
	switch f := e.Frame.(type) {
	case *headracev1.SubscribeRequest_Settle:
		return f.GetNumber()
	case *headracev1.SubscribeRequest_Extend:
		return f.GetNumber()
	default:
		return 0
	}
}

// numbered: each settle and extend has the next number; on a stream that took a session
// up the first may be any that was not confirmed to the client.
func numbered(events []record.Event) error {
	latest := map[string]uint64{} // by stream.
	return walk(events, func(s *session, e *record.Event) error {
		n := numberOf(e)
		if n == 0 {
			return nil
		}
		before, spoke := latest[e.Fields["stream"]]
		latest[e.Fields["stream"]] = n
		switch {
		case spoke && n != before+1:
			return fmt.Errorf("event %d: %w: %d after %d", e.Number, errNumber, n, before)
		case !spoke && !s.resumed && n != 1:
			return fmt.Errorf("event %d: %w: a session begins with %d", e.Number, errNumber, n)
		case !spoke && s.resumed && n > s.confirmed+1:
			return fmt.Errorf("event %d: %w: %d, where %d is confirmed", e.Number, errNumber, n, s.confirmed)
		default:
			return nil
		}
	})
}

// errChanged is returned when a number that is sent again says something else.
var errChanged = errors.New("a number means two things")

// repeated: a number that comes again means the same. How long an extend is may be
// counted anew.
func repeated(events []record.Event) error {
	return walk(events, func(s *session, e *record.Event) error {
		first, ok := s.sent[numberOf(e)]
		if !ok {
			return nil
		}
		_, extend := e.Frame.(*headracev1.SubscribeRequest_Extend)
		if extend && first.Fields["ranges"] == e.Fields["ranges"] || proto.Equal(first.Frame, e.Frame) {
			return nil
		}
		return fmt.Errorf("event %d: %w: not what event %d says", e.Number, errChanged, first.Number)
	})
}

// settledOnce: a delivery has one verdict, and was delivered before.
func settledOnce(events []record.Event) error {
	return walk(events, func(s *session, e *record.Event) (err error) {
		settle, ok := e.Frame.(*headracev1.SubscribeRequest_Settle)
		if !ok {
			return nil
		}
		each(settle.GetRanges(), func(n uint64) {
			by, settled := s.verdicts[n]
			switch {
			case settled && by != settle.GetNumber():
				err = fmt.Errorf("event %d: %d is settled by %d and by %d", e.Number, n, by, settle.GetNumber())
			case n > s.last:
				err = fmt.Errorf("event %d: %d is settled and was never delivered", e.Number, n)
			}
		})
		return err
	})
}

// extendsHeld: an extend names no delivery that was settled before it.
func extendsHeld(events []record.Event) error {
	return walk(events, func(s *session, e *record.Event) (err error) {
		extend, ok := e.Frame.(*headracev1.SubscribeRequest_Extend)
		if !ok {
			return nil
		}
		each(extend.GetRanges(), func(n uint64) {
			if by, settled := s.verdicts[n]; settled && by < extend.GetNumber() {
				err = fmt.Errorf("event %d: %d is extended, and settled by %d", e.Number, n, by)
			}
		})
		return err
	})
}

// resumesHeld: a resume names every delivery whose settle was not confirmed, of those
// that it says were received.
func resumesHeld(events []record.Event) error {
	return walk(events, func(s *session, e *record.Event) error {
		opened, ok := e.Frame.(*headracev1.SubscribeResponse_Opened)
		if !ok || opened.GetResumed() == nil {
			return nil
		}
		resume := s.open.GetResume()
		named := map[uint64]bool{}
		each(resume.GetHolding(), func(n uint64) { named[n] = true })
		for n := range s.heldBefore {
			if n <= resume.GetReceivedThrough() && !named[n] {
				return fmt.Errorf("event %d: %d is held, and the resume does not name it", e.Number, n)
			}
		}
		return nil
	})
}

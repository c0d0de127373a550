package rules

import (
	"testing"

	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/conformance/record"
)

// story writes a history of one client, frame by frame.
type story struct {
	*record.History
	stream string
}

func (s *story) frame(kind string, f proto.Message, fields record.Fields) {
	if fields == nil {
		fields = record.Fields{}
	}
	fields["link"], fields["stream"] = "c", s.stream
	s.RecordFrame(kind, fields, f)
}

func (s *story) open(stream string, bytes uint64, resume *headracev1.SubscribeRequest_Resume) {
	s.stream = stream
	messages := uint64(10)
	s.frame("client.open", &headracev1.SubscribeRequest_Open{
		Window: &headracev1.SubscribeRequest_Window{Messages: &messages, Bytes: &bytes}, Resume: resume,
	}, record.Fields{"messages": "10", "bytes": "100"})
	opened := &headracev1.SubscribeResponse_Opened{SessionId: "x"}
	if resume != nil {
		opened.Resumed = &headracev1.SubscribeResponse_Resumed{
			Kept: resume.GetHolding(), NextSequence: resume.GetReceivedThrough() + 1, ChargedBytes: 10 * resume.GetReceivedThrough(),
		}
	}
	s.frame("server.opened", opened, nil)
}

// batch delivers messages of 10 bytes.
func (s *story) batch(first, last uint64) {
	s.frame("server.batch", &headracev1.SubscribeResponse_Batch{
		FirstSequence: first, ChargedBytes: 10 * last, Messages: make([]*headracev1.Message, last-first+1),
	}, nil)
}

func ranges(first, last uint64) []*headracev1.SequenceRange {
	return []*headracev1.SequenceRange{{First: first, Last: last}}
}

func (s *story) settle(number, first, last uint64) {
	s.frame("client.settle", &headracev1.SubscribeRequest_Settle{
		Number: number, Ranges: ranges(first, last), Verdict: headracev1.Verdict_VERDICT_ACK,
	}, nil)
}

func (s *story) extend(number, first, last uint64) {
	s.frame("client.extend", &headracev1.SubscribeRequest_Extend{Number: number, Ranges: ranges(first, last)}, nil)
}

func (s *story) confirm(through uint64) {
	s.frame("server.settle_result", &headracev1.SubscribeResponse_SettleResult{ConfirmedThrough: through}, nil)
}

func resumed(received, first, last uint64) *headracev1.SubscribeRequest_Resume {
	return &headracev1.SubscribeRequest_Resume{SessionId: "x", ReceivedThrough: received, Holding: ranges(first, last)}
}

// inOrder is a history that keeps every rule: a session that is broken and taken up.
func inOrder(s *story) {
	s.Record("subscribe", record.Fields{"client": "c", "messages": "10", "bytes": "0"})
	s.Record("started", record.Fields{"intact": "yes"})
	s.open("1", 100, nil)
	s.batch(1, 10)
	s.settle(1, 1, 2)
	s.batch(11, 12)
	s.extend(2, 3, 12)
	s.confirm(1)
	s.settle(3, 3, 4)
	s.Record("stream.ended", record.Fields{"status": "CANCEL"})
	s.open("2", 100, resumed(12, 3, 12))
	s.extend(2, 3, 12)
	s.settle(3, 3, 4)
	s.settle(4, 5, 12)
	s.confirm(4)
	s.Record("stream.ended", record.Fields{"status": "OK"})
}

func TestAHistoryInOrderKeepsEveryRule(t *testing.T) {
	s := &story{History: record.New()}
	inOrder(s)
	for _, r := range All {
		if err := r.Check(s.Events()); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
}

// TestEachRuleIsBroken: by a history that breaks it, and no other.
func TestEachRuleIsBroken(t *testing.T) {
	for _, c := range []struct {
		rule string
		tell func(s *story)
	}{
		{"messages come as they were published", func(s *story) { s.Record("started", record.Fields{"intact": "no"}) }},
		{"no stream ends for a fault of the client", func(s *story) {
			s.Record("stream.ended", record.Fields{"status": "InvalidArgument"})
		}},
		{"every frame is understood", func(s *story) { s.Record("tap.lost", record.Fields{}) }},
		{"the window is the one that was set", func(s *story) { s.open("3", 100, nil); s.unset() }},
		{"what is outstanding stays within the window", func(s *story) { s.open("3", 100, nil); s.batch(1, 11) }},
		{"what is outstanding stays within the window", func(s *story) {
			s.open("3", 25, nil)
			s.batch(1, 2)
			s.batch(3, 3)
		}},
		{"settles are numbered without a gap", func(s *story) { s.open("3", 100, nil); s.batch(1, 2); s.settle(2, 1, 1) }},
		{"settles are numbered without a gap", func(s *story) {
			s.open("3", 100, nil)
			s.batch(1, 2)
			s.settle(1, 1, 1)
			s.settle(3, 2, 2)
		}},
		{"settles are numbered without a gap", func(s *story) { s.open("3", 100, resumed(12, 5, 12)); s.batch(13, 13); s.extend(6, 13, 13) }},
		{"a settle that is sent again is the same", func(s *story) { s.open("3", 100, resumed(12, 5, 12)); s.settle(4, 5, 11) }},
		{"every delivery is settled once at most", func(s *story) {
			s.open("3", 100, nil)
			s.batch(1, 2)
			s.settle(1, 1, 2)
			s.settle(2, 2, 2)
		}},
		{"every delivery is settled once at most", func(s *story) { s.open("3", 100, nil); s.batch(1, 2); s.settle(1, 3, 3) }},
		{"only what is held is extended", func(s *story) {
			s.open("3", 100, nil)
			s.batch(1, 2)
			s.settle(1, 1, 1)
			s.extend(2, 1, 2)
		}},
		{"a resume names all that is held", func(s *story) {
			s.open("3", 100, nil)
			s.batch(1, 2)
			s.open("4", 100, resumed(2, 1, 1))
		}},
	} {
		s := &story{History: record.New()}
		inOrder(s)
		c.tell(s)
		for _, r := range All {
			if err := r.Check(s.Events()); (err != nil) != (r.Name == c.rule) {
				t.Errorf("a history against %q: %s: %v", c.rule, r.Name, err)
			}
		}
	}
}

// unset is an Open with a window that nobody set.
func (s *story) unset() {
	s.frame("client.open", &headracev1.SubscribeRequest_Open{}, record.Fields{"messages": "11", "bytes": "100"})
}

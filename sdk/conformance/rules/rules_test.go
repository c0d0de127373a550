package rules

import (
	"strconv"
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
		{"the window is the one that was set", func(s *story) { s.open("3", 100, nil); s.window(4) }},
		{"what is outstanding stays within the window", func(s *story) { s.shrunk(); s.batch(12, 12) }},
		{"what is outstanding stays within the window", func(s *story) { s.shrunkByHand(); s.batch(9, 9) }},
		{"what is outstanding stays within the window", func(s *story) {
			s.openManual("3")
			s.grant(5, 25)
			s.batch(1, 2)
			s.batch(3, 4)
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

// TestABatchMayComeByAnEarlierWindow until the server has shown that it read a later one,
// and what it had queued has come; and by the later one at once.
func TestABatchMayComeByAnEarlierWindow(t *testing.T) {
	for name, tell := range map[string]func(s *story){
		"a window that shrinks": func(s *story) { s.shrunk(); s.settle(3, 7, 11); s.batch(12, 16) },
		"grants that go down":   func(s *story) { s.shrunkByHand(); s.grant(20, 1000); s.batch(9, 20) },
		"an earlier stream":     func(s *story) { s.shrunk(); s.open("4", 1000, resumed(11, 7, 11)); s.batch(12, 16) },
		"a large message alone": func(s *story) { s.openManual("3"); s.grant(5, 5); s.batch(1, 1) },
	} {
		s := &story{History: record.New()}
		tell(s)
		if err := withinCredit(s.Events()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// shrunk is a session whose window shrank from 10 messages to 5, as the server has shown;
// it holds 5.
func (s *story) shrunk() {
	s.Record("window", record.Fields{"client": "c", "messages": "5", "bytes": "0"})
	s.open("3", 1000, nil)
	s.batch(1, 6)
	s.window(5)
	s.settle(1, 1, 1)
	s.batch(7, 7)
	s.confirm(1)
	s.queued(8)
	s.settle(2, 2, 6)
}

// shrunkByHand is a session whose grants went from 20 messages to 8, as the server has
// shown, and are used up.
func (s *story) shrunkByHand() {
	s.openManual("3")
	s.grant(20, 1000)
	s.batch(1, 3)
	s.grant(8, 1000)
	s.settle(1, 1, 1)
	s.batch(4, 4)
	s.confirm(1)
	s.queued(5)
}

// queued delivers as much as the server may have queued, from a sequence on.
func (s *story) queued(first uint64) {
	for n := range uint64(queuedBatches) {
		s.batch(first+n, first+n)
	}
}

func (s *story) openManual(stream string) {
	s.stream = stream
	s.frame("client.open", &headracev1.SubscribeRequest_Open{Replenish: headracev1.Replenish_REPLENISH_MANUAL}, nil)
	s.frame("server.opened", &headracev1.SubscribeResponse_Opened{SessionId: "by hand"}, nil)
}

func (s *story) grant(messages, bytes uint64) {
	s.frame("client.grant", &headracev1.SubscribeRequest_Grant{ThroughSequence: messages, ThroughBytes: bytes}, nil)
}

// window resizes the window to some messages.
func (s *story) window(messages uint64) {
	s.frame("client.window", &headracev1.SubscribeRequest_Window{Messages: &messages, Bytes: new(uint64(1000))},
		record.Fields{"messages": strconv.FormatUint(messages, 10), "bytes": "1000"})
}

// unset is an Open with a window that nobody set.
func (s *story) unset() {
	s.frame("client.open", &headracev1.SubscribeRequest_Open{}, record.Fields{"messages": "11", "bytes": "100"})
}

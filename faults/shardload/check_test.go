package shardload

import (
	"strings"
	"testing"

	"github.com/headrace/headrace/storage"
)

// promised is a ledger of two appends, one confirmed change set and one on its way.
func promised(t *testing.T) *Ledger {
	t.Helper()
	l := &Ledger{}
	for _, line := range []string{
		"ready",
		"pub 7 1 0 0 2", "pub 7 2 0 2 1", "pub 8 1 1 0 1",
		"try 1 0 1 1 2", "try 1 1 1 0 1", "ok 1",
		"try 1 0 2 1 3", "try 1 1 2 1 1",
	} {
		if err := l.Tell(line); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// kept is a store that keeps those promises.
func kept() *Found {
	f := &Found{Partitions: make([]FoundPartition, partitions), Buffered: &FoundBuffered{}}
	f.Partitions[0].Messages = []messageID{{7, 1, 0}, {7, 1, 1}, {7, 2, 0}}
	f.Partitions[1].Messages = []messageID{{8, 1, 0}}
	for i := range f.Cursors {
		for p := range uint16(partitions) {
			f.Cursors[i] = append(f.Cursors[i], storage.Cursor{Partition: p})
		}
	}
	f.set(0, ackState{1, 1, 2})
	f.set(1, ackState{1, 0, 1})
	return f
}

// set puts a state into a cursor of the subscription that scatters.
func (f *Found) set(p int, s ackState) {
	c := s.cursor(uint16(p), scattered(1))
	f.Cursors[1][p] = storage.Cursor{
		Partition: c.Partition, Floor: c.Floor, Counters: c.Counters, Chunks: c.Chunks,
	}
}

func TestKeptPromisesAreNotComplainedAbout(t *testing.T) {
	if wrong := Check(promised(t), kept()); len(wrong) > 0 {
		t.Error(wrong)
	}
	applied := kept()
	applied.set(0, ackState{2, 1, 3})
	applied.set(1, ackState{2, 1, 1})
	if wrong := Check(promised(t), applied); len(wrong) > 0 {
		t.Errorf("a change set on its way was applied: %v", wrong)
	}
	passed := kept()
	passed.Cursors[0][0].Chunks = []storage.Chunk{{Index: 0}}
	if wrong := Check(promised(t), passed); len(wrong) > 0 {
		t.Errorf("a chunk that the floor has passed: %v", wrong)
	}
	if wrong := Check(&Ledger{}, &Found{}); len(wrong) > 0 {
		t.Errorf("nothing was promised: %v", wrong)
	}
}

func TestEachKindOfBrokenPromiseIsFound(t *testing.T) {
	tests := map[string]struct {
		damage func(f *Found)
		want   string
	}{
		"lost tail":          {func(f *Found) { f.Partitions[0].Messages = f.Partitions[0].Messages[:2] }, "lost; the head is 2"},
		"another message":    {func(f *Found) { f.Partitions[0].Messages[1] = messageID{9, 9, 9} }, "9/9/9 stands there"},
		"repeated":           {func(f *Found) { f.Partitions[1].Messages = append(f.Partitions[1].Messages, messageID{7, 1, 0}) }, "there twice"},
		"topic":              {func(f *Found) { *f = Found{} }, "the topic is lost"},
		"subscription":       {func(f *Found) { f.Cursors[1] = nil }, `"scatter" is lost`},
		"damaged":            {func(f *Found) { f.Damage = []string{"damaged"} }, "damaged"},
		"trimmed too far":    {func(f *Found) { f.Partitions[0].First = 2; f.Partitions[0].Messages = f.Partitions[0].Messages[2:] }, "is at most"},
		"floor went back":    {func(f *Found) { f.set(0, ackState{}) }, "then came 1 change sets"},
		"half a change set":  {func(f *Found) { f.set(0, ackState{2, 1, 3}) }, "then came 1 change sets"},
		"a chunk is missing": {func(f *Found) { f.Cursors[1][1].Chunks = nil }, "chunks"},
		"a hole": {
			func(f *Found) { f.Cursors[0][0].Holes = []storage.OffsetRange{{First: 0, End: 1}} }, "holes",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := kept()
			test.damage(f)
			if wrong := strings.Join(Check(promised(t), f), "\n"); !strings.Contains(wrong, test.want) {
				t.Errorf("found %q, expected %q", wrong, test.want)
			}
		})
	}
}

func TestAPartitionThatBeginsEarlierIsFound(t *testing.T) {
	l := promised(t)
	l.firsts[0] = 1
	if wrong := strings.Join(Check(l, kept()), "\n"); !strings.Contains(wrong, "it began at 1 before") {
		t.Error(wrong)
	}
}

func TestWhatIsPromisedAfterTheCutIsNoPromise(t *testing.T) {
	l := promised(t)
	l.Cut()
	for _, line := range []string{"pub 7 3 0 3 1", "ok 1", "try 1 0 3 2 3", "ok 1"} {
		if err := l.Tell(line); err != nil {
			t.Fatal(err)
		}
	}
	if wrong := Check(l, kept()); len(wrong) > 0 {
		t.Error(wrong)
	}
	f := kept()
	f.set(0, ackState{3, 2, 3})
	if wrong := Check(l, f); len(wrong) == 0 {
		t.Error("the last change set is there without the one before it")
	}
	f.set(1, ackState{2, 1, 1})
	if wrong := Check(l, f); len(wrong) > 0 {
		t.Errorf("all change sets were applied: %v", wrong)
	}
	l.Restored()
	if err := l.Tell("pub 7 3 0 3 1"); err != nil {
		t.Fatal(err)
	}
	if wrong := Check(l, kept()); len(wrong) == 0 {
		t.Error("a promise after the power came back was not kept, and nobody noticed")
	}
}

func TestANewLifeHasChangeSetsOfTheSameSequence(t *testing.T) {
	l := promised(t)
	l.Cut()
	l.Restored()
	for _, line := range []string{
		"at 1 0 1 1 2", "at 1 1 1 0 1", "at 1 2 0 0 0", "at 1 3 0 0 0", // Change set 2 was not applied.
		"try 1 0 2 2 3", "ok 1",
	} {
		if err := l.Tell(line); err != nil {
			t.Fatal(err)
		}
	}
	f := kept()
	f.set(0, ackState{2, 2, 3})
	if wrong := Check(l, f); len(wrong) > 0 {
		t.Error(wrong)
	}
	l = promised(t)
	for p, line := range []string{"at 1 0 0 0 0", "at 1 1 1 0 1", "at 1 2 0 0 0", "at 1 3 0 0 0"} {
		if err := l.Tell(line); (err != nil) != (p == partitions-1) {
			t.Errorf("recovered less than was confirmed: %v", err)
		}
	}
}

func TestAStateOnlyAdvances(t *testing.T) {
	s := ackState{}.advance(1, 50, 100)
	if s.floor < 50 || fate(s.floor) == fateAcked && s.floor < s.head {
		t.Errorf("floor %d", s.floor)
	}
	if later := s.advance(2, 10, 90); later.floor != s.floor || later.head != s.head {
		t.Errorf("%+v went back to %+v", s, later)
	}
}

func TestABodyIsWholeOrDamaged(t *testing.T) {
	want := messageID{1, 2, 3}
	body := appendBody(nil, want, 100)
	if id, whole := parseBody(body); id != want || !whole || len(body) != 100 {
		t.Errorf("%v, whole %t, %d bytes", id, whole, len(body))
	}
	for i := range body {
		body[i] ^= 1
		if _, whole := parseBody(body); whole {
			t.Errorf("byte %d is damaged, and nobody noticed", i)
		}
		body[i] ^= 1
	}
}

func TestALedgerRefusesWhatItDoesNotUnderstand(t *testing.T) {
	for _, line := range []string{"", "pub", "pub 1 2 x 4 5", "try 1", "ok", "lost"} {
		if err := (&Ledger{}).Tell(line); err == nil {
			t.Errorf("%q is understood", line)
		}
	}
}

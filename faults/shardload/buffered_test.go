package shardload

import (
	"maps"
	"strings"
	"testing"

	"github.com/headrace/headrace/storage"
)

// life is where the second life of a made-up store begins.
const life = 1 << 20

// accepted is a ledger of two lives, beside what else was promised: of the first one
// three appends were accepted, of which one is durable; of the second one one.
func accepted(t *testing.T) *Ledger {
	t.Helper()
	l := promised(t)
	for _, line := range []string{"buf 15 1 0 2", "dur 15 2", "buf 15 2 2 1", "buf 15 3 3 1", "buf 31 1 1048576 1", "dur 31 1048576"} {
		if err := l.Tell(line); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// foundBuffered is a store that has the messages at these offsets, and no others.
func foundBuffered(next storage.Offset, messages map[storage.Offset]messageID) *Found {
	f := kept()
	f.Buffered = &FoundBuffered{Next: next, Messages: messages}
	return f
}

func TestTheBufferedTopicIsLookedAt(t *testing.T) {
	durable := map[storage.Offset]messageID{0: {15, 1, 0}, 1: {15, 1, 1}}
	with := func(more map[storage.Offset]messageID) map[storage.Offset]messageID {
		all := map[storage.Offset]messageID{}
		for _, from := range []map[storage.Offset]messageID{durable, more} {
			maps.Copy(all, from)
		}
		return all
	}
	for name, c := range map[string]struct {
		found *Found
		want  string
	}{
		"all is there":          {foundBuffered(2*life, with(map[storage.Offset]messageID{2: {15, 2, 0}, 3: {15, 3, 0}, life: {31, 1, 0}})), ""},
		"the end of each life":  {foundBuffered(2*life, durable), ""},
		"the end of the first":  {foundBuffered(2*life, with(map[storage.Offset]messageID{life: {31, 1, 0}})), ""},
		"what was durable":      {foundBuffered(2*life, map[storage.Offset]messageID{}), "was durable, and is lost"},
		"a part of an append":   {foundBuffered(2*life, map[storage.Offset]messageID{0: {15, 1, 0}}), "was durable, and is lost"},
		"one before the last":   {foundBuffered(2*life, with(map[storage.Offset]messageID{3: {15, 3, 0}})), "accepted before it at 2 is lost"},
		"an offset given twice": {foundBuffered(2*life, with(map[storage.Offset]messageID{2: {31, 1, 0}})), "was told for"},
		"what is durable in another life": {
			foundBuffered(2*life, with(map[storage.Offset]messageID{life: {31, 1, 0}})), "",
		},
		"an offset to give again": {foundBuffered(3, durable), "the next one is 3"},
		"the topic":               {&Found{Partitions: kept().Partitions, Cursors: kept().Cursors}, "the buffered topic is lost"},
	} {
		wrong := strings.Join(Check(accepted(t), c.found), "\n")
		if c.want == "" && wrong != "" || !strings.Contains(wrong, c.want) {
			t.Errorf("%s: %q, want %q", name, wrong, c.want)
		}
	}
}

// TestWhatWasLostStaysTold: after a cut the lost appends are no promise any more, but
// their offsets stay given.
func TestWhatWasLostStaysTold(t *testing.T) {
	l := accepted(t)
	found := foundBuffered(2*life, map[storage.Offset]messageID{0: {15, 1, 0}, 1: {15, 1, 1}})
	l.Adopt(found)
	if got := l.Counts(); got.Accepted != 4 || got.Lost != 3 {
		t.Errorf("%+v", got)
	}
	if wrong := Check(l, found); len(wrong) > 0 {
		t.Errorf("once more: %v", wrong)
	}
	found.Buffered.Messages[2] = messageID{47, 1, 0}
	if wrong := Check(l, found); len(wrong) != 1 || !strings.Contains(wrong[0], "was told for") {
		t.Errorf("given to another one: %v", wrong)
	}
}

package shardlog_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/storagetest"
)

// grave is a store with a subscription that has messages to give up, and a topic that
// they are forwarded to.
type grave struct {
	*storagetest.StoreHarness

	t    *testing.T
	from storage.PartitionID
	to   storage.PartitionID
	sub  storage.Subscription
	next storage.Offset
}

func newGrave(t *testing.T) *grave {
	t.Helper()
	h, _ := memoryStore(t)
	g := &grave{StoreHarness: h, t: t}
	g.from = storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	g.to = storage.PartitionID{Topic: h.MustCreateTopic("failed", 1).ID}
	g.sub = h.MustSubscribe("billing", g.from.Topic, storage.Start{})
	h.MustPublish(g.from, "a", "b", "c", "d", "e", "f")
	return g
}

// letter is a dead letter with a copy to a partition.
func letter(at storage.Offset, to storage.PartitionID, body string) storage.DeadLetter {
	return storage.DeadLetter{
		Offset: at, Reason: storage.DeadRejected, Message: []byte("wire of " + body),
		Forward: &storage.Forward{Copy: storagetest.NewAppend(to, body)},
	}
}

// giveUp is the change set that gives up the next messages, one for each body.
func (g *grave) giveUp(bodies ...string) *storage.ChangeSet {
	change := storage.CursorChange{}
	for _, body := range bodies {
		change.DeadLetters = append(change.DeadLetters, letter(g.next, g.to, body))
		g.next++
	}
	change.Floor = g.next
	return &storage.ChangeSet{Subscription: g.sub.ID, Cursors: []storage.CursorChange{change}}
}

// forwards are what the kept dead letters say of their copies.
func (g *grave) forwards() (all []storage.Forward) {
	g.t.Helper()
	for from := uint64(0); ; {
		letters, err := g.DeadLetters(g.t.Context(), g.sub.ID, from)
		if err != nil || len(letters) == 0 {
			if err != nil {
				g.t.Fatal(err)
			}
			return all
		}
		for i := range letters {
			if letters[i].Forward == nil {
				g.t.Fatalf("dead letter %d says nothing of a copy", letters[i].Sequence)
			}
			all = append(all, *letters[i].Forward)
			from = letters[i].Sequence + 1
		}
	}
}

func (g *grave) want(forwards []storage.Forward, bodies ...string) {
	g.t.Helper()
	if diff := cmp.Diff(forwards, g.forwards()); diff != "" {
		g.t.Errorf("-want +got:\n%s", diff)
	}
	if got := g.Bodies(g.to); !slices.Equal(got, bodies) {
		g.t.Errorf("forwarded: %q, want %q", got, bodies)
	}
}

func forwardedTo(to storage.PartitionID, at storage.Offset) storage.Forward {
	return storage.Forward{Copy: storage.Append{Partition: to, Base: at}}
}

func notForwardedTo(to storage.PartitionID, why storage.ForwardFailure) storage.Forward {
	return storage.Forward{Copy: storage.Append{Partition: to}, Failure: why}
}

// TestADeadLetterIsForwardedInTheCommitThatKeepsIt: copies stand behind what was
// published, in the order in which messages were given up, and those who watch the topic
// are woken.
func TestADeadLetterIsForwardedInTheCommitThatKeepsIt(t *testing.T) {
	g := newGrave(t)
	wake := make(chan struct{}, 1) // capacity 1: it only says that there is something
	defer g.Watch(g.to, wake)()
	g.MustPublish(g.to, "published")
	<-wake
	before := g.Metrics().Commits
	set := g.giveUp("a", "b")
	g.MustCommit(set)
	<-wake
	if n := g.Metrics().Commits - before; n != 1 {
		t.Errorf("%d commits", n)
	}
	if told := set.Cursors[0].DeadLetters[1]; told.Sequence != 2 || told.Forward.Copy.Base != 2 {
		t.Errorf("told: %+v", told)
	}
	want := []storage.Forward{forwardedTo(g.to, 1), forwardedTo(g.to, 2)}
	g.want(want, "published", "a", "b")
	g.Crash()
	g.Open()
	g.want(want, "published", "a", "b")
}

// TestADeadLetterAndItsCopyAreBothThereOrNeither: whether the commit that a crash met was
// stored or not.
func TestADeadLetterAndItsCopyAreBothThereOrNeither(t *testing.T) {
	for _, applied := range []bool{true, false} {
		g := newGrave(t)
		memoryOf(g.StoreHarness).FailNext(storagetest.Fault{Err: storage.ErrUnknown, Applied: applied})
		if err := g.Commit(g.giveUp("a")); !errors.Is(err, storage.ErrUnknown) {
			t.Fatalf("commit: %v", err)
		}
		g.Crash()
		g.Open()
		if applied {
			g.want([]storage.Forward{forwardedTo(g.to, 0)}, "a")
		} else {
			g.want(nil)
		}
	}
}

// TestWhatCannotBeForwardedIsKeptAndSaysWhy: and what can be of the same commit is.
func TestWhatCannotBeForwardedIsKeptAndSaysWhy(t *testing.T) {
	g := newGrave(t)
	gone := storage.PartitionID{Topic: g.MustCreateTopic("gone", 1).ID}
	if err := g.DeleteTopic(t.Context(), gone.Topic); err != nil {
		t.Fatal(err)
	}
	noPartition := storage.PartitionID{Topic: g.to.Topic, Partition: 1}
	set := g.giveUp("gone", "no partition", strings.Repeat("x", storage.MaxForwardBytes), "full", "whole")
	letters := set.Cursors[0].DeadLetters
	letters[2].Message = []byte("wire of a large one")
	letters[0].Forward.Copy.Partition = gone
	letters[1].Forward.Copy.Partition = noPartition
	letters[3].Forward.Failure = storage.ForwardBacklogFull // Known before.
	g.MustCommit(set)
	want := []storage.Forward{
		notForwardedTo(gone, storage.ForwardTopicGone), notForwardedTo(noPartition, storage.ForwardTopicGone),
		notForwardedTo(g.to, storage.ForwardTooLarge), notForwardedTo(g.to, storage.ForwardBacklogFull), forwardedTo(g.to, 0),
	}
	g.want(want, "whole")
	memoryOf(g.StoreHarness).SetSpace(storage.Space{FreeBytes: 2, HighMarkBytes: 3, LowMarkBytes: 1})
	g.MustCommit(g.giveUp("no room"))
	g.want(append(want, notForwardedTo(g.to, storage.ForwardNoSpace)), "whole")
}

func TestWhatIsForwardedToADamagedPartitionIsKept(t *testing.T) {
	g := newGrave(t)
	g.MustPublish(g.to, "published")
	g.Crash()
	g.Damaged = true
	memoryOf(g.StoreHarness).Disk().Drop(record.AppendPartitionKey(nil, g.to))
	g.Open()
	g.MustCommit(g.giveUp("a"))
	if got := g.forwards(); len(got) != 1 || got[0].Failure != storage.ForwardDamaged {
		t.Errorf("%+v", got)
	}
}

// TestALargestDeadLetterIsForwarded: it is in the batch twice, and with others beside it.
func TestALargestDeadLetterIsForwarded(t *testing.T) {
	g := newGrave(t)
	large := strings.Repeat("x", storage.MaxForwardBytes-16)
	set := g.giveUp(large, strings.Repeat("y", 256<<10))
	g.MustCommit(set)
	if got := g.Bodies(g.to); len(got) != 2 || got[0] != large {
		t.Errorf("%d messages were forwarded", len(got))
	}
	g.Crash()
	g.Open()
	if all := g.forwards(); len(all) != 2 || all[0].Failure != 0 {
		t.Errorf("%+v", all)
	}
}

// TestADeadLetterThatKnowsAnotherSequenceIsRefused: its copy would tell a wrong one.
func TestADeadLetterThatKnowsAnotherSequenceIsRefused(t *testing.T) {
	g := newGrave(t)
	set := g.giveUp("a", "b")
	set.Cursors[0].DeadLetters[0].Sequence = 1
	set.Cursors[0].DeadLetters[1].Sequence = 3
	if err := g.Commit(set); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("commit: %v", err)
	}
	set.Cursors[0].DeadLetters[1].Sequence = 2
	g.MustCommit(set)
	g.want([]storage.Forward{forwardedTo(g.to, 0), forwardedTo(g.to, 1)}, "a", "b")
}

// TestForwardedMessagesOfABufferedTopicAreDurableWithTheirDeadLetters: what was accepted
// and lost with a crash is not among them.
func TestForwardedMessagesOfABufferedTopicAreDurableWithTheirDeadLetters(t *testing.T) {
	g := newGrave(t)
	g.to = bufferedTopic(t, g.StoreHarness, "metrics")
	g.MustCommit(g.giveUp("a"))
	m := memoryOf(g.StoreHarness)
	reached, release := m.Block()
	if err := g.Publish(publishOf(g.to, "accepted")); err != nil {
		t.Fatal(err)
	}
	<-reached
	m.Crash()
	release()
	_ = g.Close() // It says why it ended.
	g.Open()
	g.want([]storage.Forward{forwardedTo(g.to, 0)}, "a")
	if at := g.MustPublish(g.to, "after"); at <= 1<<20 {
		t.Errorf("offset %d after a crash", at)
	}
}

package starved

import (
	"testing"

	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

// forgottenName is the subscription that nobody receives from.
const forgottenName = "forgotten"

// TestAForgottenSubscriptionDoesNotFillTheDisk publishes more than the disk may hold, in
// the long version 20 times as much, while one subscription acks everything and another
// is forgotten, which a bound on the topic or on its backlog keeps small. Every message
// that went is told of, also across a kill: what was removed or dropped and what is left
// add up to what was published.
func TestAForgottenSubscriptionDoesNotFillTheDisk(t *testing.T) {
	const diskMebibytes, messageBytes, bound = 1024, 64 << 10, 64 << 20
	mebibytes := 640 // Publishes may use less than 512 MiB of the disk.
	if *long {
		mebibytes = 20 * diskMebibytes
	}
	for name, c := range map[string]struct {
		retention *headracev1.Retention
		limit     *headracev1.BacklogCap
	}{
		"max_bytes": {retention: &headracev1.Retention{MinAge: durationpb.New(0), MaxBytes: bound}},
		"drop oldest": {
			retention: &headracev1.Retention{MinAge: durationpb.New(0)},
			limit: &headracev1.BacklogCap{
				Max: &headracev1.Amount{Bytes: bound}, Action: headracev1.BacklogAction_BACKLOG_ACTION_DROP_OLDEST,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newSmallDisk(t, diskMebibytes)
			h := newHost(t, d.store())
			h.start()
			clients := newClients(h, &headracev1.Topic{Retention: c.retention})
			clients.must(clients.client.Subscriptions().Create(t.Context(), &headracev1.Subscription{
				Name: forgottenName, Topic: topicName, BacklogCap: c.limit,
			}, headrace.FromEarliest()))
			stop := clients.consume(256)
			waited, waits := clients.publishPatiently(h, mebibytes<<20/messageBytes, messageBytes)
			stop()
			gone := clients.wantAllTold(bound)
			t.Logf("%d MiB published; %d messages went unsettled; publishers waited %d times for the disk, %.0f s in all",
				mebibytes, gone, waits, waited.Seconds())
			h.Kill()
			h.start()
			if again := clients.wantAllTold(bound); again < gone {
				t.Errorf("%d messages had gone, %d after a kill", gone, again)
			}
		})
	}
}

// wantAllTold waits until the forgotten subscription is within its bound, and checks that
// every message is either left or counted as gone; it gives how many are gone.
func (c *clients) wantAllTold(bound uint64) (gone uint64) {
	c.t.Helper()
	const slack = 2 << 20 // what one commit takes
	eventually(c.t, "the backlog is within its bound", func() bool {
		stats, err := c.client.Subscriptions().Stats(c.t.Context(), forgottenName)
		if err != nil {
			return false
		}
		gone = stats.GetRemoved() + stats.GetDropped()
		if all := gone + stats.GetBacklog().GetMessages(); all != uint64(c.acknowledgements()) {
			c.t.Fatalf("%d messages are gone or left of %d: %v", all, c.acknowledgements(), stats)
		}
		return stats.GetBacklog().GetBytes() <= bound+slack
	})
	return gone
}

package headrace_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	headrace "github.com/headrace/headrace/sdk/go"
)

// TestRealASeekDeliversAgainToTheSameReader: the reader goes on in its session, what it
// held is lost, and each message comes again in the new generation.
func TestRealASeekDeliversAgainToTheSameReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		publishReal(t, c, 3)
		var got []string
		for d, err := range c.Subscription("billing").Deliveries(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(d.Data))
			if len(got) == 3 {
				done, err := c.Subscriptions().Seek(t.Context(), "billing", headrace.ToStart())
				if err != nil || done.Generation != 2 {
					t.Errorf("%+v, %v", done, err)
				}
				synctest.Wait()
				if !errors.Is(context.Cause(d.Context()), headrace.ErrDeliveryLost) {
					t.Errorf("the delivery in hand is not lost: %v", context.Cause(d.Context()))
				}
			}
			d.Ack()
			if len(got) == 6 {
				break
			}
		}
		if fmt.Sprint(got[:3]) != fmt.Sprint(got[3:]) {
			t.Errorf("received %v", got)
		}
		synctest.Wait()
		would, err := c.Subscriptions().SeekDryRun(t.Context(), "billing", headrace.ToTime(time.Now().Add(-time.Minute)))
		if err != nil || would.Unacked != 3 || would.Generation != 2 {
			t.Errorf("%+v, %v", would, err)
		}
		if _, err := c.Subscriptions().Seek(t.Context(), "billing", headrace.ToPositions(headrace.Position{Offset: 99})); !errors.Is(err, headrace.ErrPositionOutOfRange) {
			t.Errorf("%v", err)
		}
		if done, err := c.Subscriptions().Seek(t.Context(), "billing", headrace.ToEnd()); err != nil || done.Generation != 3 {
			t.Errorf("%+v, %v", done, err)
		}
	})
}

func TestRealAPeekPagesThroughWhatIsNotAcked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		publishReal(t, c, 250)
		for range 2 {
			n := 0
			for m, err := range c.Subscriptions().Peek(t.Context(), "billing", headrace.Position{}, false) {
				if err != nil || m.GetPosition().GetOffset() != uint64(n) {
					t.Fatalf("message %d: %v, %v", n, m, err)
				}
				n++
			}
			if n != 250 {
				t.Errorf("%d messages", n)
			}
		}
		for _, err := range c.Subscriptions().Peek(t.Context(), "billing", headrace.Position{Partition: 9}, false) {
			if !errors.Is(err, headrace.ErrPartitionNotFound) {
				t.Errorf("%v", err)
			}
		}
	})
}

func TestRealASnapshotIsTakenAndSoughtTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		publishReal(t, c, 3)
		subs := c.Subscriptions()
		taken, err := subs.CreateSnapshot(t.Context(), "before", "billing", time.Hour)
		if err != nil || taken.GetUnacked() != 3 {
			t.Fatalf("%v, %v", taken, err)
		}
		if _, err := subs.Seek(t.Context(), "billing", headrace.ToEnd()); err != nil {
			t.Fatal(err)
		}
		if done, err := subs.Seek(t.Context(), "billing", headrace.ToSnapshot("before")); err != nil || done.Unacked != 3 {
			t.Errorf("%+v, %v", done, err)
		}
		for s, err := range subs.Snapshots(t.Context()) {
			if err != nil || s.GetName() != "default/before" {
				t.Errorf("%v, %v", s, err)
			}
		}
		if _, err := subs.CreateSnapshot(t.Context(), "before", "billing", 0); !errors.Is(err, headrace.ErrSnapshotExists) {
			t.Errorf("%v", err)
		}
		time.Sleep(time.Hour) //nolint:forbidigo // the bubble has its own clock
		if _, err := subs.Snapshot(t.Context(), "before"); !errors.Is(err, headrace.ErrSnapshotNotFound) {
			t.Errorf("after its time: %v", err)
		}
	})
}

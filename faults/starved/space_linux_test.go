package starved

import (
	"context"
	"errors"
	"flag"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

var (
	// quota is how much of a disk publishes may use; reservedMebibytes are the store's
	// own, below its high mark.
	quota = flag.Int("quota", 512, "MiB that publishes may use in TestDiskUseStaysFlat")
	times = flag.Int("times", 0, "how many times the quota it publishes; 0: half as much again, or what -long says")
)

const reservedMebibytes = 512

// TestDiskUseStaysFlat publishes and acks more than the disk has for publishes, in the
// long version 20 times as much as it is large: what is settled gives its room back. So
// small a disk makes publishers wait now and then, for seconds, until it has.
func TestDiskUseStaysFlat(t *testing.T) {
	const messageBytes = 64 << 10
	diskMebibytes := *quota + reservedMebibytes
	mebibytes := *quota * 3 / 2
	if *long {
		mebibytes = 20 * diskMebibytes
	}
	if *times > 0 {
		mebibytes = *times * *quota
	}
	d := newSmallDisk(t, diskMebibytes)
	h := newHost(t, d.store())
	h.start()
	c := newClients(h, &headracev1.Topic{Retention: &headracev1.Retention{MinAge: durationpb.New(0)}})
	stop := c.consume(256)
	use, began := watchUse(t.Context(), d), time.Now()
	t.Cleanup(func() { use.end() })
	waited, waits := c.publishPatiently(h, mebibytes<<20/messageBytes, messageBytes)
	took := time.Since(began)
	stop()
	taken := use.end()
	t.Logf("%d MiB published and acked in %.0f s, of which publishers waited %d times for the disk, %.0f s in all; in use were %d MiB on average, %d MiB at most",
		mebibytes, took.Seconds(), waits, waited.Seconds(), taken.mean()>>20, taken.most>>20)
	h.Kill()
	h.start()
	c.publishPatiently(h, 1, messageBytes)
}

// publishPatiently publishes messages that are acked soon, and goes on when the disk
// has room again.
func (c *clients) publishPatiently(h *host, messages, size int) (waited time.Duration, waits int) {
	c.t.Helper()
	const ahead = 256 // What is not acked takes room by right.
	for end := c.acknowledgements() + messages; c.acknowledgements() < end; {
		err := c.publish(c.t.Context(), min(ahead, end-c.acknowledgements()), size)
		switch {
		case errors.Is(err, headrace.ErrDiskFull):
			began := time.Now()
			eventually(c.t, "the disk has room again", func() bool { return h.metric("headrace_accepts_publishes") == 1 })
			waited += time.Since(began)
			waits++
		case err != nil:
			c.t.Fatalf("publish: %v", err)
		}
		behind := c.acknowledgements() - ahead
		eventually(c.t, "acks", func() bool { return c.confirmations() >= behind })
	}
	return waited, waits
}

// diskUse is how much of a disk is in use, looked at again and again.
type diskUse struct {
	stop context.CancelFunc
	done sync.WaitGroup

	most, sum, looks int64
}

// watchUse looks at a disk until end is called.
func watchUse(ctx context.Context, d *smallDisk) *diskUse {
	ctx, cancel := context.WithCancel(ctx)
	u := &diskUse{stop: cancel}
	before := d.free()
	u.done.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				used := before - d.free()
				u.most = max(u.most, used)
				u.sum += used
				u.looks++
			case <-ctx.Done():
				return
			}
		}
	})
	return u
}

// end stops looking.
func (u *diskUse) end() *diskUse {
	u.stop()
	u.done.Wait()
	return u
}

func (u *diskUse) mean() int64 { return u.sum / max(u.looks, 1) }

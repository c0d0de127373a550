package main

import (
	"context"
	"time"

	"github.com/headrace/headrace/sdk/go"
)

const (
	// workTime is how long a worker takes for one event.
	workTime = 2 * time.Millisecond
	// workerWindow is how many events a worker holds. Few, so that workers share
	// the events evenly and a dead one leaves little behind.
	workerWindow = 20
)

// runWorker takes its time for each event. Any number of workers compete for the
// events of their subscription; when one dies, the others get what it held.
func runWorker(ctx context.Context, s settings) error {
	work := func(ctx context.Context, d *headrace.Delivery, out *lines) error {
		select {
		case <-time.After(workTime):
		case <-ctx.Done(): // the event is no longer ours
			return context.Cause(ctx)
		}
		// First the result, then the ack: a worker killed in between makes the
		// event come again, but never makes it vanish.
		return out.write(d)
	}
	return serve(ctx, s, work, headrace.WithWindow(workerWindow, workerWindow<<20))
}

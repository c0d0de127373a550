package stage

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/headrace/headrace/sdk/conformance/driver"
	"github.com/headrace/headrace/sdk/conformance/record"
	"github.com/headrace/headrace/sdk/conformance/scenario"
)

// repeatShare is the part of a walk's sizes, one of so many, that are the one before.
const repeatShare = 3

// resize resizes a window, and waits until the SDK has the new size.
func (c *cast) resize(ctx context.Context, w scenario.Window) error {
	found, err := c.subscriber(w.Subscriber)
	if err != nil {
		return err
	}
	told := record.Wait{Of: record.Match{"event": {"windowed"}, "subscriber": {w.Subscriber}}}
	told.Count = 1 + len(c.history.Find(told.Of))
	c.history.Record("window", record.Fields{
		"client": found.client, "subscriber": w.Subscriber,
		"messages": strconv.Itoa(w.Messages), "bytes": strconv.Itoa(w.Bytes),
	})
	err = c.tell(found.client, driver.Command{
		Do: "window", Subscriber: w.Subscriber, Settings: &driver.Settings{WindowMessages: w.Messages, WindowBytes: w.Bytes},
	})
	if err != nil {
		return err
	}
	return c.history.Await(ctx, told)
}

// walk resizes a window again and again. What is drawn is the same every time; how much
// is held when it is settled is not.
func (c *cast) walk(ctx context.Context, w *scenario.WindowWalk) error {
	found, err := c.subscriber(w.Subscriber)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(w.Seed, w.Seed))
	next := scenario.Window{Subscriber: w.Subscriber}
	for n := range w.Times {
		messages, bytes := between(random, w.Messages), between(random, w.Bytes)
		if n == 0 || random.IntN(repeatShare) > 0 {
			next.Messages, next.Bytes = messages, bytes
		}
		if err := c.resize(ctx, next); err != nil {
			return err
		}
		if err := found.awaitHeld(ctx); err != nil {
			return err
		}
		found.letGoPart(random.Float64())
	}
	return nil
}

func between(random *rand.Rand, bounds [2]int) int {
	return bounds[0] + random.IntN(bounds[1]-bounds[0]+1)
}

// awaitHeld waits until a handler holds a delivery: there must be one, for what was held
// is settled, there is credit, and messages wait.
func (s *subscriber) awaitHeld(ctx context.Context) error {
	for {
		s.mu.Lock()
		held, came := len(s.held), s.came
		s.mu.Unlock()
		if held > 0 {
			return nil
		}
		select {
		case <-came:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// letGoPart acks a part of what is held, from none of it to all, those first that began
// first.
func (s *subscriber) letGoPart(part float64) {
	s.mu.Lock()
	all := slices.Sorted(maps.Keys(s.held))
	picked := map[int]*record.Event{}
	for _, delivery := range all[:int(part*float64(len(all)+1))] {
		picked[delivery] = s.held[delivery]
		delete(s.held, delivery)
	}
	s.mu.Unlock()
	s.settleAll(picked, scenario.Ack, 0)
}

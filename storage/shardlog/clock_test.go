package shardlog_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/storagetest"
)

// clockSteps are what an administrator, or a time service, does to a wall clock.
var clockSteps = []time.Duration{time.Second, -time.Second, time.Hour, -time.Hour}

// forEachClockStep runs a test for each step of the clock, taken while the store runs,
// while it is stopped, and while it has crashed.
func forEachClockStep(t *testing.T, run func(t *testing.T, step time.Duration, set func(*storagetest.StoreHarness, func()))) {
	t.Helper()
	for when, set := range map[string]func(*storagetest.StoreHarness, func()){
		"running": func(_ *storagetest.StoreHarness, step func()) { step() },
		"stopped": func(h *storagetest.StoreHarness, step func()) { h.Stop(); step(); h.Open() },
		"crashed": func(h *storagetest.StoreHarness, step func()) { h.Crash(); step(); h.Open() },
	} {
		for _, step := range clockSteps {
			t.Run(when+" "+step.String(), func(t *testing.T) { run(t, step, set) })
		}
	}
}

// TestLogTimeIsTheLaterOfTheLastAndNow: log times never go back, and follow the wall
// clock again as soon as it has caught up.
func TestLogTimeIsTheLaterOfTheLastAndNow(t *testing.T) {
	forEachClockStep(t, func(t *testing.T, step time.Duration, set func(*storagetest.StoreHarness, func())) {
		t.Helper()
		h, clock, p := clockedStore(t)
		h.MustPublish(p, "before")
		last := clock.Now()
		set(h, func() { clock.advance(step) })
		for offset := range storage.Offset(5) {
			h.MustPublish(p, "after")
			if now := clock.Now(); now.After(last) {
				last = now
			}
			place, err := h.Locate(t.Context(), p, offset+1)
			if err != nil || !place.LogTime.Equal(last) {
				t.Errorf("offset %d has log time %v, want %v (now %v): %v", offset+1, place.LogTime, last, clock.Now(), err)
			}
			clock.advance(20 * time.Minute)
		}
	})
}

// TestMinAgeCountsFromTheLogTime: a message stays until the wall clock has passed its
// log time by min_age, whatever was done to the clock: one that went back keeps
// messages longer by as much, and one that went ahead lets them go sooner. None goes
// younger than that.
func TestMinAgeCountsFromTheLogTime(t *testing.T) {
	const minAge = 10 * time.Minute
	forEachClockStep(t, func(t *testing.T, step time.Duration, set func(*storagetest.StoreHarness, func())) {
		t.Helper()
		h, clock, p := clockedStore(t)
		due := map[string]time.Time{}
		publish := func(body string, offset storage.Offset) {
			h.MustPublish(p, body)
			place, err := h.Locate(t.Context(), p, offset)
			if err != nil {
				t.Fatal(err)
			}
			due[body] = place.LogTime.Add(minAge)
		}
		publish("a", 0)
		clock.advance(time.Minute)
		set(h, func() { clock.advance(step) })
		publish("b", 1)
		for end := clock.Now().Add(2 * time.Hour); clock.Now().Before(end); clock.advance(time.Minute / 2) {
			h.Tick()
			var want []string
			for _, body := range []string{"a", "b"} {
				if due[body].After(clock.Now()) {
					want = append(want, body)
				}
			}
			wantBodies(t, h, p, want...)
		}
	})
}

// TestATimeInTheLogIsFoundByAClockThatWentBack: a subscription that starts at a time
// starts at the first message that the log took in then or later, also where the wall
// clock has yet to come there again.
func TestATimeInTheLogIsFoundByAClockThatWentBack(t *testing.T) {
	h, clock, p := clockedStore(t)
	began := clock.Now()
	h.MustPublish(p, "before")
	clock.advance(time.Hour)
	h.MustPublish(p, "ahead")
	clock.advance(-time.Hour)
	h.MustPublish(p, "back")
	for name, c := range map[string]struct {
		at   time.Duration
		want storage.Offset
	}{
		"now":              {0, 0},
		"in half an hour":  {time.Hour / 2, 1},
		"in an hour":       {time.Hour, 1},
		"in an hour and 1": {time.Hour + 1, 3},
	} {
		s := h.MustSubscribe(name, p.Topic, storage.Start{Kind: storage.StartAtTime, Time: began.Add(c.at)})
		cursors, err := h.Cursors(t.Context(), s.ID)
		if err != nil || cursors[0].Floor != c.want {
			t.Errorf("%s: it starts at %+v, want %d: %v", name, cursors, c.want, err)
		}
	}
}

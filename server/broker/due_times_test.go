package broker

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// A retry is due after a restart when it was due before, by the wall clock, and never
// earlier; a clock that was set does not keep it for longer than it could have waited.
func TestDueTimesSurviveARestart(t *testing.T) {
	wall := time.Date(2026, 3, 4, 5, 6, 7, 89, time.UTC)
	before := dueTimes{now: 100 * time.Second, wall: wall}
	for name, c := range map[string]struct {
		due  delivery.Instant
		down time.Duration // by the wall clock, between storing and recovering
		want time.Duration // still to wait
	}{
		"due already":                    {100 * time.Second, 0, 0},
		"waits the rest":                 {160 * time.Second, 20 * time.Second, 40 * time.Second},
		"due while the server was down":  {160 * time.Second, time.Hour, 0},
		"clock back by a second":         {160 * time.Second, -time.Second, 61 * time.Second},
		"clock back by an hour":          {160 * time.Second, -time.Hour, time.Hour + time.Minute},
		"clock back by a year":           {160 * time.Second, -365 * 24 * time.Hour, maxRecoveredWait},
		"the longest delay is kept":      {100*time.Second + delivery.MaxRetryDelay, 0, delivery.MaxRetryDelay},
		"a part of a millisecond counts": {100*time.Second + time.Microsecond, 0, time.Microsecond},
	} {
		after := dueTimes{now: 5 * time.Second, wall: wall.Add(c.down)}
		got := max(0, after.recovered(before.stored(c.due))-after.now)
		if got < c.want || got > c.want+time.Millisecond {
			t.Errorf("%s: waits %s, want %s", name, got, c.want)
		}
	}
	if far := before.stored(delivery.Instant(1<<62) + 100*time.Second); far > storage.MaxNotBefore {
		t.Errorf("%d is more than can be stored", far)
	}
}

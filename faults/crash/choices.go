package crash

import (
	"math/rand/v2"
	"time"

	"github.com/headrace/headrace/faults/history"
)

const (
	// One delivery in so many is retried, retried with a delay of its own, released,
	// forgotten until its lease ends.
	retryOneIn, delayOneIn, releaseOneIn, forgetOneIn = 40, 80, 60, 400
	// lastAttempt is always acked, so that a drain ends.
	lastAttempt = 4
	// One batch in so many is settled later.
	postponeOneIn = 4
	// mostDelay bounds a retry's own delay.
	mostDelay = 400 * time.Millisecond
	// One frame in so many changes the window. Windows go up to these.
	windowOneIn    = 20
	windowMessages = 128
	windowBytes    = 1 << 20
	// One window or grant in tinyOneIn is tiny: up to tinyMessages and tinyBytes, less
	// than most messages have.
	tinyOneIn    = 8
	tinyMessages = 4
	tinyBytes    = 4 << 10
	// A grant goes up to so many sequences and bytes ahead.
	grantSequences = 128
	grantBytes     = 1 << 20
)

// choices are a subscriber's, all from its seed.
type choices struct {
	random    *rand.Rand
	calm      *calm
	postponed []decision
	// opened: the window is as large as it may be since it is calm.
	opened bool
}

// decision is a verdict for a range of sequences. A delay of 0 is none.
type decision struct {
	first, last, verdict uint64
	delay                time.Duration
}

// choose decides about new deliveries, by their attempts; those left out are forgotten.
func (c *choices) choose(first uint64, attempts []uint64) []decision {
	var made []decision
	for i, attempt := range attempts {
		n := first + uint64(i)
		d := decision{n, n, history.Ack, 0}
		switch {
		case attempt >= lastAttempt || c.calm.Load():
		case c.random.IntN(forgetOneIn) == 0:
			continue
		case c.random.IntN(retryOneIn) == 0:
			d.verdict = history.Retry
		case c.random.IntN(delayOneIn) == 0:
			d.verdict, d.delay = history.Retry, time.Duration(1+c.random.Int64N(int64(mostDelay)))
		case c.random.IntN(releaseOneIn) == 0:
			d.verdict = history.Release
		}
		if k := len(made) - 1; k >= 0 && made[k].verdict == history.Ack && d.verdict == history.Ack && made[k].last == n-1 {
			made[k].last = n
			continue
		}
		made = append(made, d)
	}
	if !c.calm.Load() && c.random.IntN(postponeOneIn) == 0 {
		c.postponed = append(c.postponed, made...)
		return nil
	}
	return made
}

// later gives what was postponed, once.
func (c *choices) later() []decision {
	d := c.postponed
	c.postponed = nil
	return d
}

// window is one of any size.
func (c *choices) window() (messages, bytes uint64) { return c.amount(windowMessages, windowBytes) }

func (c *choices) amount(mostMessages, mostBytes int) (messages, bytes uint64) {
	if c.calm.Load() {
		return uint64(mostMessages), uint64(mostBytes)
	}
	if c.random.IntN(tinyOneIn) == 0 {
		mostMessages, mostBytes = tinyMessages, tinyBytes
	}
	return 1 + uint64(c.random.IntN(mostMessages)), 1 + uint64(c.random.IntN(mostBytes))
}

func (c *choices) changeWindow() (messages, bytes uint64, change bool) {
	if c.calm.Load() || c.random.IntN(windowOneIn) > 0 {
		return 0, 0, false
	}
	messages, bytes = c.window()
	return messages, bytes, true
}

// opens says, once, that it has become calm, so that the window is to be as large as it
// may be.
func (c *choices) opens() bool {
	opens := c.calm.Load() && !c.opened
	c.opened = c.opened || opens
	return opens
}

// ahead is how far ahead of what came a grant goes.
func (c *choices) ahead() (sequences, bytes uint64) {
	return c.amount(grantSequences, grantBytes)
}

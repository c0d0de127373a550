package model

import (
	"fmt"
	"slices"
	"time"
)

// Numbers of dispatch caps, written down a second time.
const (
	rateBurst     = 100 * time.Millisecond
	rateStep      = 10 * time.Millisecond
	rateTolerance = 0.01
	// rateFrames is how many frames are looked back at.
	rateFrames = 400
)

// dispatched is one frame that went out.
type dispatched struct {
	at       Instant
	messages float64
	bytes    float64
}

// rateLeft is what a rate lets go now: whatever moment one begins to count at, no more
// than the burst and what the time since then has brought.
func (m *Model) rateLeft(rate float64, of func(dispatched) float64) float64 {
	burst := max(1, rate*rateBurst.Seconds())
	left, sum := burst, 0.0
	for _, f := range slices.Backward(m.frames) {
		sum += of(f)
		left = min(left, burst+rate*(m.now-f.at).Seconds()-sum)
	}
	return left
}

func inMessages(d dispatched) float64 { return d.messages }
func inBytes(d dispatched) float64    { return d.bytes }

// rateAllows judges a frame of so many messages and bytes, and notes it. A frame of one
// message may have more bytes than are left, if something is.
func (m *Model) rateAllows(messages int, bytes uint64) error {
	if rate := m.rules.MessageRate; rate > 0 {
		if left := m.rateLeft(rate, inMessages); float64(messages) > left+rateTolerance {
			return fmt.Errorf("%d messages where the rate leaves %.3f", messages, left)
		}
	}
	if rate := m.rules.ByteRate; rate > 0 {
		left := m.rateLeft(rate, inBytes)
		if left < 1-rateTolerance || messages > 1 && float64(bytes) > left+rateTolerance {
			return fmt.Errorf("%d bytes where the rate leaves %.3f", bytes, left)
		}
	}
	m.frames = append(m.frames, dispatched{m.now, float64(messages), float64(bytes)})
	if n := len(m.frames) - rateFrames; n > 0 {
		m.frames = m.frames[n:]
	}
	return nil
}

// rateHolds says whether a rate excuses that nothing goes now.
func (m *Model) rateHolds() bool {
	holds := func(rate float64, of func(dispatched) float64) bool {
		return rate > 0 && m.rateLeft(rate, of) < max(1, rate*rateStep.Seconds())
	}
	return holds(m.rules.MessageRate, inMessages) || holds(m.rules.ByteRate, inBytes)
}

// configureRate begins to count anew when a rate changed.
func (m *Model) configureRate(rules Rules) {
	if rules.MessageRate != m.rules.MessageRate || rules.ByteRate != m.rules.ByteRate || rules.Concurrency != m.rules.Concurrency {
		m.frames = nil
	}
}

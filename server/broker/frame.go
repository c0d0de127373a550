package broker

import (
	"sync"
	"time"

	"github.com/headrace/headrace/storage"
)

// Frame describes one frame of deliveries. Its messages' bytes lie in segments
// that the frame holds references of.
type Frame struct {
	// FirstSequence is the sequence of the first message; each one has the next.
	FirstSequence uint64
	Messages      uint32
	// Bytes is the size of the messages' wire bytes: the sum over Parts.
	Bytes int
	// ChargedBytes is what the session was charged in all, this frame included.
	ChargedBytes uint64
	// Runs say where the messages stand; Parts[i] holds the bytes of Runs[i].
	Runs  []PositionRun
	Parts []Part
	// Attempts are those that are not the first, by the message's index.
	Attempts []AttemptRun

	// deadline is when the frame must be written.
	deadline time.Time
}

// Part is a run of messages in one segment.
type Part struct {
	Segment    *storage.Segment
	First, End storage.Offset
}

// Wire gives the messages' wire bytes. They are valid until the frame is released.
func (p Part) Wire() []byte { return p.Segment.Range(p.First, p.End) }

// frames are used again: at the tail a frame is a handful of messages.
var frames = sync.Pool{New: func() any { return new(Frame) }}

// Release gives the frame's references back. The frame is not to be used after it.
func (f *Frame) Release() {
	for _, p := range f.Parts {
		p.Segment.Release()
	}
	clear(f.Parts)
	*f = Frame{Runs: f.Runs[:0], Parts: f.Parts[:0], Attempts: f.Attempts[:0]}
	frames.Put(f)
}

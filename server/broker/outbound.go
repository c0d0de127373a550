package broker

import (
	"errors"
	"sync"
	"time"
)

const (
	// maxQueuedFrames and maxQueuedBytes bound a session's outbound queue, the frame
	// that is being written included; a full queue makes the session ineligible.
	maxQueuedFrames = 4
	maxQueuedBytes  = 1 << 20
	// maxSlotItems is how many items a control slot holds before the client counts
	// as not reading its results.
	maxSlotItems = 10_000
	// writeGrace and writeBytesPerSecond say when a frame must be written: its grace,
	// and the time that what is queued takes at the slowest acceptable rate.
	writeGrace          = 20 * time.Second
	writeBytesPerSecond = 64 << 10
)

// outbound is what a session's send loop is to write: frames in order, and one
// merged slot for each kind of control item. The owner loop fills it and is never
// kept waiting; the send loop takes from it.
//
//	owner loop ─► push, settled, flow, … ─► [slots | frames] ─► take ─► send loop
//	                                              │
//	            notify ◄── room again, failed ────┘
type outbound struct {
	clock  *clock
	memory *outboundMemory
	// notify tells the owner loop that there is room again, or that the session failed.
	notify func()
	// wake has capacity 1: it only says that there is something to take.
	wake chan struct{}
	// done is closed when the session has ended for its send loop and what was queued
	// is given back.
	done chan struct{}

	mu     sync.Mutex
	frames []*Frame
	slots  controlSlots
	// drained comes after all else.
	drained bool
	// pushed and popped count frames, so that a Revoked does not overtake one.
	pushed, popped uint64
	// bytes are those of frames and of the frame that is being written.
	bytes int
	// full says that the owner loop was told so.
	full bool
	// controlLast says that the last item taken was no frame.
	controlLast bool
	// ending is how the session ends after all that is queued, failure how it ended
	// at once; ended that it has.
	ending, failure error
	ended           bool
	write           write
	after           aftermath
}

// aftermath is what to do once the mutex is free, since it means other mutexes.
type aftermath struct {
	freed   int
	changed bool
	dropped []*Frame
	ended   bool
}

func newOutbound(clock *clock, memory *outboundMemory, notify func()) *outbound {
	o := &outbound{
		clock:  clock,
		memory: memory,
		notify: notify,
		wake:   make(chan struct{}, 1),
		done:   make(chan struct{}),
	}
	o.write.out = o
	return o
}

// locked runs fn under the mutex, wakes the send loop, and then does what fn left
// to be done.
func (o *outbound) locked(fn func()) {
	o.mu.Lock()
	fn()
	after := o.after
	o.after = aftermath{}
	o.mu.Unlock()
	if after.freed > 0 {
		o.memory.add(-int64(after.freed))
	}
	if after.changed {
		o.notify()
	}
	for _, f := range after.dropped {
		f.Release()
	}
	if after.ended {
		close(o.done)
	}
}

// push queues a frame and says whether there is room for another. Owner loop only.
func (o *outbound) push(f *Frame) (room bool) {
	o.memory.add(int64(f.Bytes))
	o.locked(func() {
		o.bytes += f.Bytes
		f.deadline = time.Now().Add(writeGrace + writeTime(o.bytes))
		o.frames = append(o.frames, f)
		o.pushed++
		if o.failure != nil {
			o.drop()
		}
		o.full = !o.hasRoom()
		room = !o.full
	})
	signal(o.wake)
	return room
}

// settled merges a settle result. Owner loop only.
func (o *outbound) settled(r SettleResult) {
	o.control(func() bool { return o.slots.settled(r) })
}

// flow replaces the flow state. Owner loop only.
func (o *outbound) flow(f FlowState) {
	o.control(func() bool { o.slots.flowed(f); return true })
}

// revoke queues a revocation behind the frames pushed so far. Owner loop only.
func (o *outbound) revoke(r Revoked) {
	o.control(func() bool { return o.slots.revoke(r, o.pushed) })
}

// recall queues a recall behind the frames pushed so far. Owner loop only.
func (o *outbound) recall(r Recall) {
	o.control(func() bool { return o.slots.recall(r, o.pushed) })
}

// goAway queues a GoAway. Owner loop only.
func (o *outbound) goAway(g GoAway) {
	o.control(func() bool { o.slots.goAway = &g; return true })
}

// drain queues a Drained, which comes after all else. Owner loop only.
func (o *outbound) drain() {
	o.control(func() bool { o.drained = true; return true })
}

// end ends the session once all that is queued is taken. Owner loop only.
func (o *outbound) end(err error) {
	o.control(func() bool { o.ending = err; return true })
}

// control puts a control item in; when its slot then holds too much the session
// fails.
func (o *outbound) control(put func() bool) {
	o.locked(func() {
		if o.failure == nil && !put() {
			o.failNow(ErrResultsUnread)
		}
	})
	signal(o.wake)
}

// fail ends the session at once; what is queued is dropped. The first failure stays.
func (o *outbound) fail(err error) {
	o.locked(func() { o.failNow(err) })
}

func (o *outbound) failNow(err error) {
	if o.failure != nil || o.ended {
		return
	}
	o.failure = err
	o.drop()
	o.after.changed = true
	o.finish()
}

// drop drops what is queued. The frame that is being written is the send loop's.
func (o *outbound) drop() {
	for _, f := range o.frames {
		o.free(f.Bytes)
	}
	o.after.dropped = append(o.after.dropped, o.frames...)
	o.frames, o.slots = nil, controlSlots{}
}

// finish ends the session for its send loop.
func (o *outbound) finish() {
	o.ended, o.after.ended = true, true
	o.write.stop()
	signal(o.wake)
}

// room says whether the queue has room. Who hears that it has none is told when it
// has again: memory may have become short since the last frame.
func (o *outbound) room() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.full = !o.hasRoom()
	return !o.full
}

// hasRoom: while memory is short there is room for one frame, so that who reads goes
// on and who does not takes no more.
func (o *outbound) hasRoom() bool {
	queued := len(o.frames)
	if o.write.bytes > 0 {
		queued++
	}
	if o.memory.short() {
		return queued == 0
	}
	return queued < maxQueuedFrames && o.bytes < maxQueuedBytes
}

// err is why the session ended, nil before.
func (o *outbound) err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.failure != nil:
		return o.failure
	case o.ended:
		return o.ending
	}
	return nil
}

// failed is why the session ended at once, or nil.
func (o *outbound) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failure
}

// errNothing is returned by take when there is nothing to write now.
var errNothing = errors.New("broker: nothing to write")

// take ends the write of what was taken before and takes what is to be written
// next; or errNothing; or how the session ended. Send loop only.
func (o *outbound) take() (out Output, err error) {
	o.locked(func() {
		o.written()
		out, err = o.takeNext()
	})
	return out, err
}

func (o *outbound) takeNext() (Output, error) {
	if o.failure != nil {
		return Output{}, o.failure
	}
	if out, ok := o.choose(); ok {
		o.write.begin(out)
		return out, nil
	}
	if o.ending == nil {
		return Output{}, errNothing
	}
	if !o.ended {
		o.finish()
	}
	return Output{}, o.ending
}

// written ends the write that was going on.
func (o *outbound) written() {
	o.free(o.write.end())
	if o.full && o.hasRoom() {
		o.full = false
		o.after.changed = true
	}
}

// leave ends the write that was going on: the send loop is gone, and takes no more.
func (o *outbound) leave() { o.locked(o.written) }

// choose takes the next item: control items first, but a frame after each of them.
func (o *outbound) choose() (Output, bool) {
	if !o.controlLast || len(o.frames) == 0 {
		if out, ok := o.slots.take(o.popped); ok {
			o.controlLast = true
			return out, true
		}
	}
	o.controlLast = false
	if len(o.frames) > 0 {
		return Output{Frame: o.popFrame()}, true
	}
	drained := o.drained
	o.drained = false
	return Output{Drained: drained}, drained
}

func (o *outbound) popFrame() *Frame {
	f := o.frames[0]
	o.frames = o.frames[:copy(o.frames, o.frames[1:])]
	o.popped++
	return f
}

// free gives queued bytes back.
func (o *outbound) free(bytes int) {
	o.bytes -= bytes
	o.after.freed += bytes
}

// writeTime is how long bytes take at the slowest acceptable rate.
func writeTime(bytes int) time.Duration {
	return time.Duration(bytes) * time.Second / writeBytesPerSecond
}

package headrace

import (
	"context"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// roomWaiter is a publisher that waits for room in the buffer.
type roomWaiter struct {
	size int // of its message, encoded.
	// ready is closed when the room was taken for the waiter, or the outbox
	// closed.
	ready chan struct{}
	given bool
	gone  bool // the waiter does not wait any more.
}

// makeRoom takes room for a message of that size, waiting for it if it must. The
// lock is held, and not while it waits.
func (o *outbox) makeRoom(ctx context.Context, size int) error {
	switch {
	case o.closed:
		return &Error{Reason: "CLOSED", Message: "publish: the client is closed"}
	case o.dead != nil:
		return o.dead
	case o.waiters.len() == 0 && o.hasRoom(size):
		o.takeRoom(size)
		return nil
	case o.config.overflowError:
		return o.bufferFull()
	}
	w := &roomWaiter{size: size, ready: make(chan struct{})}
	o.waiters.push(w)
	o.mu.Unlock()
	select {
	case <-w.ready:
	case <-ctx.Done():
	}
	o.mu.Lock()
	return o.waited(ctx, w)
}

// waited says what became of a wait.
func (o *outbox) waited(ctx context.Context, w *roomWaiter) error {
	if w.given && !o.closed {
		return nil
	}
	if w.given {
		o.giveBack(1, w.size)
	}
	if o.closed {
		return &Error{Reason: "CLOSED", Message: "publish: the client was closed while the buffer was full"}
	}
	w.gone = true
	o.admit() // Those behind it may fit.
	return fmt.Errorf("headrace: publish: the buffer is full: %w", ctx.Err())
}

// hasRoom reports whether a message fits; a message larger than the bound does
// when it is alone.
func (o *outbox) hasRoom(size int) bool {
	return o.messages == 0 ||
		o.messages < o.config.bufferMessages && o.bytes+size <= o.config.bufferBytes
}

func (o *outbox) takeRoom(size int) {
	o.messages++
	o.bytes += size
}

// giveBack returns the room of messages that have their result.
func (o *outbox) giveBack(messages, bytes int) {
	o.messages -= messages
	o.bytes -= bytes
	o.admit()
}

// admit gives room to the waiters, the oldest first.
func (o *outbox) admit() {
	for o.waiters.len() > 0 {
		w := o.waiters.front()
		if !w.gone && !o.hasRoom(w.size) {
			return
		}
		o.waiters.pop()
		if w.gone {
			continue
		}
		o.takeRoom(w.size)
		w.given = true
		close(w.ready)
	}
}

func (o *outbox) bufferFull() error {
	return &Error{
		Reason: "BUFFER_FULL", Retryable: true,
		Message: fmt.Sprintf("publish: %d messages of %s wait for their results already", o.messages, bytesText(uint64(o.bytes))),
	}
}

// validTopicText reports whether a topic's name can stand in a frame; whether it
// is a legal name is the server's to say.
func validTopicText(name string) bool {
	return name != "" && utf8.ValidString(name)
}

func bytesText(n uint64) string { return strconv.FormatUint(n, 10) + " bytes" }

package headrace

import (
	"sync"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// Window is how much a subscriber may hold, in messages and in bytes of encoded messages,
// as [WithWindow] says it, and can be resized while subscribers use it: see
// [WithResizableWindow]. It is made by [NewWindow]. Several subscribers may share one:
// each of them has a window of that size, it is no sum of all of them. It is safe for
// concurrent use, also in a handler.
type Window struct {
	mu   sync.Mutex
	size windowSize
	// resized is closed when the size changes, and replaced. It carries nothing.
	resized chan struct{}
}

// windowSize is the size of a window.
type windowSize struct{ messages, bytes uint64 }

// windowOf takes what is less than 1 for 1: nothing would ever come.
func windowOf(messages, bytes int) windowSize {
	return windowSize{uint64(max(1, messages)), uint64(max(1, bytes))}
}

// NewWindow makes a window of so many messages and bytes; less than 1 of either counts
// as 1. A message larger than the bytes comes alone.
func NewWindow(messages, bytes int) *Window {
	return &Window{size: windowOf(messages, bytes), resized: make(chan struct{})}
}

// Resize gives the window another size, with the bounds of [NewWindow]. It never blocks.
// Each subscriber that uses the window tells the server at once, of the latest size only
// where several come together, and one whose stream is broken when it opens the next.
// When a window shrinks nothing is taken back: what a subscriber holds beyond it stays
// until it is settled, and nothing comes meanwhile.
func (w *Window) Resize(messages, bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if size := windowOf(messages, bytes); size != w.size {
		w.size = size
		close(w.resized)
		w.resized = make(chan struct{})
	}
}

// Size returns what [NewWindow] or the latest [Window.Resize] said, in messages and in
// bytes, each at least 1.
func (w *Window) Size() (messages, bytes int) {
	size, _ := w.look()
	return int(size.messages), int(size.bytes)
}

// look returns the size, and what is closed when there is another one.
func (w *Window) look() (windowSize, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.size, w.resized
}

// contract is the size as the server is told it.
func (z windowSize) contract() *headracev1.SubscribeRequest_Window {
	return &headracev1.SubscribeRequest_Window{Messages: new(z.messages), Bytes: new(z.bytes)}
}

// followWindow takes up a new size of the window, and returns the frame that tells the
// server of it; nil: there is nothing to tell, as when the stream is about to end, or a
// grant does. Send loop only.
func (s *subscribeStream) followWindow() *headracev1.SubscribeRequest {
	var size windowSize
	size, s.resized = s.config.window.look()
	if size == s.window || s.ending() {
		return nil
	}
	s.setWindow(size)
	if s.config.manual {
		return nil
	}
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Window_{Window: size.contract()}}
}

// setWindow takes up the size that the server knows, or is about to hear of.
func (s *subscribeStream) setWindow(size windowSize) {
	s.window = size
	s.ledger.resize(size)
	s.inbox.resize(s.config.byHand(size))
}

// resize makes settles go at half of the window's new size.
func (l *ledger) resize(size windowSize) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settles.resize(size)
}

package server

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// errPanic is returned when a loop of a stream panicked.
var errPanic = errors.New("server: panic")

// loops waits for the goroutines of streams. They outlive their handler for a
// moment: only its return ends a Recv or Send that is under way.
type loops struct {
	running sync.WaitGroup
}

// streamLoops are the two loops of a stream.
type streamLoops struct {
	receive, send func() error
	// ended, when not nil, is closed when the stream is to end although the send loop
	// may be stuck in a write; cause then says why.
	ended <-chan struct{}
	cause func() error
	// after, when not nil, is called when both loops have ended.
	after func()
}

// run runs the loops, and returns when the stream is to end: with what the send
// loop returns; with what the receive loop returns unless that is nil; or with the
// cause.
func (l *loops) run(s streamLoops) error {
	var both sync.WaitGroup
	received, sent := l.start(&both, s.receive), l.start(&both, s.send)
	defer l.running.Go(func() {
		both.Wait()
		if s.after != nil {
			s.after()
		}
	})
	for {
		select {
		case err := <-sent:
			return err
		case err := <-received:
			if err != nil {
				return err
			}
			// The client half-closed: what is left is the send loop's business.
			received = nil
		case <-s.ended:
			return l.finish(sent, s.cause)
		}
	}
}

// sendPatience is how long a send loop may still take when its session has ended.
const sendPatience = time.Second

// finish gives the send loop a moment to write what comes before the end, and to
// say itself why the stream ended.
func (l *loops) finish(sent <-chan error, cause func() error) error {
	timer := time.NewTimer(sendPatience)
	defer timer.Stop()
	select {
	case err := <-sent:
		return err
	case <-timer.C:
		return cause()
	}
}

// start runs a loop in a goroutine of its own. The channel has room for its one
// result, so that a loop whose handler is gone still ends. A panic ends the stream,
// not the process.
func (l *loops) start(both *sync.WaitGroup, loop func() error) <-chan error {
	result := make(chan error, 1)
	both.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				result <- fmt.Errorf("%w: %v\n%s", errPanic, p, debug.Stack())
			}
		}()
		result <- loop()
	})
	return result
}

// wait returns when every loop has ended.
func (l *loops) wait() { l.running.Wait() }

package broker

import (
	"errors"
	"testing"
	"time"
)

func TestFirstWindowHolds(t *testing.T) {
	w := newPublishWindow()
	if err := w.take(Amount{Messages: 1000, Bytes: 1000}, 1); err != nil {
		t.Fatal(err)
	}
	if err := w.take(Amount{Messages: 1, Bytes: 1}, 1); !errors.Is(err, ErrPublishWindowExceeded) {
		t.Errorf("message 1,001: %v", err)
	}
}

// A message larger than what is left may be sent while bytes are left.
func TestLastMessageMayPassTheEndOfTheWindow(t *testing.T) {
	for name, c := range map[string]struct {
		sent Amount
		last uint64
		ok   bool
	}{
		"exactly full":          {Amount{Messages: 2, Bytes: firstWindowBytes}, 10, true},
		"last one passes":       {Amount{Messages: 2, Bytes: firstWindowBytes + 9}, 10, true},
		"last one begins after": {Amount{Messages: 2, Bytes: firstWindowBytes + 10}, 10, false},
		"one alone":             {Amount{Messages: 1, Bytes: 2 * firstWindowBytes}, 2 * firstWindowBytes, true},
	} {
		w := newPublishWindow()
		if err := w.take(c.sent, c.last); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	w := newPublishWindow()
	if err := w.take(Amount{Messages: 1, Bytes: firstWindowBytes}, firstWindowBytes); err != nil {
		t.Fatal(err)
	}
	if err := w.take(Amount{Messages: 1, Bytes: 1}, 1); !errors.Is(err, ErrPublishWindowExceeded) {
		t.Errorf("with no bytes left: %v", err)
	}
}

// The window rises by results that were written, and by nothing else.
func TestWindowRisesByWrittenResults(t *testing.T) {
	w := newPublishWindow()
	mustTake(t, &w, 1000)
	if _, rose := w.tell(false); rose {
		t.Error("the window rose though nothing was written")
	}
	w.wrote(Amount{Messages: 500, Bytes: 500}, false)
	told, rose := w.tell(false)
	if !rose || told.Messages != 1500 {
		t.Errorf("told %+v (%v) after 500 results", told, rose)
	}
}

// A client that has used its window up is told of more once its results are written.
func TestWindowNeverSticks(t *testing.T) {
	for _, short := range []bool{false, true} {
		for _, latency := range []time.Duration{time.Millisecond, time.Second} {
			w := newPublishWindow()
			told := w.told
			for range 1000 {
				left := Amount{Messages: told.Messages - w.sent.Messages, Bytes: told.Bytes - w.sent.Bytes}
				if left.Messages == 0 || left.Bytes == 0 {
					t.Fatalf("stuck at %+v (short %v)", w.sent, short)
				}
				sent := Amount{Messages: left.Messages, Bytes: min(left.Bytes, left.Messages*100)}
				if err := w.take(sent, 0); err != nil {
					t.Fatal(err)
				}
				w.took(latency)
				w.wrote(sent, short)
				told, _ = w.tell(false)
			}
		}
	}
}

func TestWindowGrowsWhileCommitsAreQuick(t *testing.T) {
	w := newPublishWindow()
	for range 20 {
		useUp(t, &w, time.Millisecond, false)
	}
	if w.size.Messages != maxWindowMessages {
		t.Errorf("a window that is always used up is %d messages", w.size.Messages)
	}
	for range 20 {
		useUp(t, &w, time.Second, false)
	}
	if w.size.Messages != firstWindowMessages || w.size.Bytes < firstWindowBytes {
		t.Errorf("while commits are slow it is %+v", w.size)
	}
	for range 20 {
		useUp(t, &w, time.Millisecond, true)
	}
	if w.size.Messages != minWindowMessages || w.size.Bytes != minWindowBytes {
		t.Errorf("while memory is short it is %+v", w.size)
	}
	for range 20 {
		useUp(t, &w, 100*time.Millisecond, false)
	}
	if w.size.Messages < firstWindowMessages || w.size.Bytes < firstWindowBytes {
		t.Errorf("afterwards it is %+v", w.size)
	}
}

// Few large messages fill as much memory as many small ones, and are looked at as
// often.
func TestWindowOfLargeMessagesShrinksByTheirBytes(t *testing.T) {
	w := newPublishWindow()
	const large = 1 << 20
	for range 16 {
		if err := w.take(Amount{Messages: 1, Bytes: large}, large); err != nil {
			t.Fatal(err)
		}
		w.wrote(Amount{Messages: 1, Bytes: large}, true)
	}
	if w.size.Bytes != minWindowBytes {
		t.Errorf("after 16 messages of 1 MiB, while memory is short, the window is %+v", w.size)
	}
}

func TestUnusedWindowDoesNotGrow(t *testing.T) {
	w := newPublishWindow()
	for range 10_000 {
		mustTake(t, &w, 1)
		w.took(time.Millisecond)
		w.wrote(Amount{Messages: 1, Bytes: 1}, false)
		w.tell(false)
	}
	if w.size.Messages != firstWindowMessages {
		t.Errorf("one message in flight made a window of %d", w.size.Messages)
	}
}

func mustTake(t *testing.T, w *publishWindow, n uint64) {
	t.Helper()
	if err := w.take(Amount{Messages: n, Bytes: n}, 1); err != nil {
		t.Fatal(err)
	}
}

// useUp sends all that the window allows and writes the results.
func useUp(t *testing.T, w *publishWindow, latency time.Duration, short bool) {
	t.Helper()
	for range 10 {
		n := w.through.Messages - w.sent.Messages
		mustTake(t, w, n)
		w.took(latency)
		w.wrote(Amount{Messages: n, Bytes: n}, short)
		w.tell(false)
	}
}

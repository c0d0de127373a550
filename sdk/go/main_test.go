package headrace_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

// pass lets time pass on the clock of a bubble.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // the clock is the bubble's
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

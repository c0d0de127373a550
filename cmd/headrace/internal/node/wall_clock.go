package node

import (
	"os"
	"strings"
	"time"

	"github.com/headrace/headrace/storage"
)

// wallClock is the system's clock, or one that is off by what a file says at the
// moment, so that a test can set the clock of a server that runs. What is not a
// duration counts as none.
func wallClock(offsetFile string) storage.Clock {
	if offsetFile == "" {
		return time.Now
	}
	return func() time.Time {
		text, _ := os.ReadFile(offsetFile)
		offset, _ := time.ParseDuration(strings.TrimSpace(string(text)))
		return time.Now().Add(offset)
	}
}

package badgerlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// runningName is the marker of a store that is being written. It is durable before
// Badger writes anything, and goes as the last step of an orderly Close: so whoever
// finds it knows that the last stop was not in order. A crash between the end of
// Badger and that step, or a power cut that brings the file back, calls an orderly
// stop a crash, which costs a copy and nothing else.
//
// The file says how many stops in a row were not in order.
const runningName = "running"

// disorderlyStops gives the number of stops in a row that were not in order; 0 after
// an orderly one.
func disorderlyStops(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, runningName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("badgerlog: %w", err)
	}
	var before int
	if _, err := fmt.Sscanf(string(text), "%d\n", &before); err != nil || before < 0 {
		before = 1 // Somebody else's hand: there may be a first copy, which is to stay.
	}
	return before + 1, nil
}

// markRunning leaves the marker.
func markRunning(dir string, stops int) error {
	return writeWhole(filepath.Join(dir, runningName), fmt.Appendf(nil, "%d\n", stops))
}

// unmarkRunning removes the marker, after everything else is on the disk.
func unmarkRunning(dir string) error {
	if err := os.Remove(filepath.Join(dir, runningName)); err != nil {
		return fmt.Errorf("badgerlog: %w", err)
	}
	return syncDir(dir)
}

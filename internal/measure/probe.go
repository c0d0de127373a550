package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	// probeBytes is what each sync of the probe overwrites.
	probeBytes = 1 << 10
	// probeSyncs is how many syncs one probe takes at most.
	probeSyncs = 500
	// probeTime is how long one probe takes at most.
	probeTime = 2 * time.Second
)

// Disk measures what one write costs on the disk under dir when nothing
// else is going on: it overwrites the same preallocated KiB and syncs its data,
// again and again. It returns how long each took.
func Disk(dir string) ([]time.Duration, error) {
	path := filepath.Join(dir, "fdatasync-probe")
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("probing the disk: %w", err)
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(path)
	}()
	took, err := timeSyncs(f)
	if err != nil {
		return nil, fmt.Errorf("probing the disk: %w", err)
	}
	return took, nil
}

func timeSyncs(f *os.File) ([]time.Duration, error) {
	block := make([]byte, probeBytes)
	if err := overwrite(f, block); err != nil {
		return nil, err
	}
	// The first overwrite put the block in its place: a full sync settles the
	// file's size and extents, so that the timed ones move data alone.
	if err := f.Sync(); err != nil {
		return nil, err
	}
	var took []time.Duration
	for begin := time.Now(); len(took) < probeSyncs && time.Since(begin) < probeTime; {
		start := time.Now()
		if err := overwrite(f, block); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	return took, nil
}

func overwrite(f *os.File, block []byte) error {
	if _, err := f.WriteAt(block, 0); err != nil {
		return err
	}
	return syncData(f)
}

// PerSecond is the rate of an operation that takes the median of took.
func PerSecond(took []time.Duration) float64 {
	if len(took) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(took))
	return float64(time.Second) / float64(max(sorted[len(sorted)/2], 1))
}

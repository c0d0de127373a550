package main

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"time"
)

const (
	probeBytes = 1 << 10
	probeFile  = 1 << 20
	probeTries = 300
)

// probe gives how many preallocated overwrites of 1 KiB the disk syncs in a second,
// by the median.
func probe(dir string) (perSecond float64, err error) {
	file, err := os.CreateTemp(dir, "probe")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	if _, err := file.Write(make([]byte, probeFile)); err != nil {
		return 0, err
	}
	if err := file.Sync(); err != nil {
		return 0, err
	}
	var took []time.Duration
	for i := range probeTries {
		start := time.Now()
		if _, err := file.WriteAt(make([]byte, probeBytes), int64(i*probeBytes)%probeFile); err != nil {
			return 0, err
		}
		if err := syscall.Fdatasync(int(file.Fd())); err != nil {
			return 0, err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return float64(time.Second) / float64(took[len(took)/2]), nil
}

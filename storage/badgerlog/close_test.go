package badgerlog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
)

// TestCloseWaitsForACollection: for the file that is being rewritten, and no other.
func TestCloseWaitsForACollection(t *testing.T) {
	o := testOptions(t.TempDir())
	o.GCInterval = time.Hour
	e := mustOpen(t, o)
	begun, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	e.collector.collect = func() error {
		close(begun)
		<-goOn
		close(ended)
		return nil
	}
	e.collector.discarded(e.collector.enough) // As a compaction does.
	<-begun
	closing := make(chan error, 1)
	go func() { closing <- e.Close() }()
	<-e.quit
	select {
	case err := <-closing:
		t.Errorf("it is closed in the middle of a collection: %v", err)
	default:
	}
	close(goOn)
	if err := <-closing; err != nil {
		t.Error(err)
	}
	if !closed(ended) {
		t.Error("the collection did not end")
	}
}

// TestCloseWaitsForACompaction: nothing of Badger's goes on when the lock is free, and
// what a compaction was in the middle of is there.
func TestCloseWaitsForACompaction(t *testing.T) {
	dir := t.TempDir()
	e := mustOpen(t, testOptions(dir))
	begun, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	discarded, compacted, first := e.logger.events.discarded, e.logger.events.compacted, make(chan struct{}, 1)
	first <- struct{}{}
	e.logger.events.discarded = func(bytes uint64) {
		discarded(bytes)
		select {
		case <-first:
			close(begun)
			<-goOn
		default:
		}
	}
	e.logger.events.compacted = func(compactor int) {
		compacted(compactor)
		if !closed(ended) {
			close(ended)
		}
	}
	number := uint64(0)
	for !closed(begun) {
		number++
		var ops []storage.Op
		for i := range 400 {
			ops = append(ops, put(fmt.Sprint("k", number, "-", i), strings.Repeat("x", 3000)))
		}
		mustCommit(t, e, batch(number, 1, ops...))
	}
	closing := make(chan error, 1)
	go func() { closing <- e.Close() }()
	<-e.quit
	select {
	case err := <-closing:
		t.Errorf("it is closed in the middle of a compaction: %v", err)
	default:
	}
	close(goOn)
	if err := <-closing; err != nil {
		t.Error(err)
	}
	if !closed(ended) {
		t.Error("the compaction did not end")
	}
	e = mustOpen(t, testOptions(dir))
	for n := uint64(1); n <= number; n++ {
		if _, err := get(e, fmt.Sprint("k", n, "-", 7)); err != nil {
			t.Errorf("batch %d of %d: %v", n, number, err)
		}
	}
}

package badgerlog

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/headrace/headrace/storage"
)

// failedCloseTimeout is how long closing waits for Badger once the engine has
// failed: Badger retries some things for ever.
const failedCloseTimeout = 5 * time.Second

var _ storage.Engine = (*Engine)(nil)

// Engine is a storage.Engine over Badger. Open makes one.
type Engine struct {
	options Options
	clock   storage.Clock
	format  format
	lock    *dirLock
	db      *badger.DB
	logger  *badgerLogger
	stop    *failStop
	ledger  *ledger
	gate    *gate

	space     *spaceWatch
	ballast   *ballast
	aside     *aside
	limits    *limitWatch
	collector *collector
	rotation  *rotation
	burials   *burials
	tally     *tableTally
	room      *tableRoom
	advice    *appendAdvice
	counters  *counters

	// quit is closed to end the loops; it has capacity 0.
	quit  chan struct{}
	loops sync.WaitGroup

	// The committer's own: the highest epoch seen, Badger's entries, whether one of them
	// is a mark, and the end of the transaction that is under way. completed has
	// capacity 1: so that a commit that nobody waits for any more can end.
	epoch     uint64
	entries   []badger.Entry
	marked    bool
	completed chan error
	complete  func(error)
	timer     *time.Timer

	closed   chan struct{}
	closeErr error
}

// StoreID names the store.
func (e *Engine) StoreID() StoreID { return e.format.store }

// Ledger implements storage.Engine: what the commit ledger held when the engine was
// opened.
func (e *Engine) Ledger() []storage.LedgerEntry { return e.ledger.found }

// Space implements storage.Engine.
func (e *Engine) Space() storage.Space { return e.space.space() }

// Failed implements storage.Engine.
func (e *Engine) Failed() <-chan struct{} { return e.stop.failed }

// Err implements storage.Engine.
func (e *Engine) Err() error { return e.stop.cause() }

// Close implements storage.Engine. It waits for calls that are under way.
func (e *Engine) Close() error {
	if e.gate.close() {
		e.closeErr = e.shut()
		close(e.closed)
	}
	<-e.closed
	return e.closeErr
}

// shut ends everything in the reverse order of Open.
func (e *Engine) shut() error {
	close(e.quit)
	err := closeInTime(e.shutBadger, e.stop, e.logger.holds)
	if err == nil && e.stop.cause() == nil {
		err = unmarkRunning(e.options.Dir)
	}
	return errors.Join(err, e.lock.unlock())
}

// shutBadger waits for calls that are under way, and closes Badger.
func (e *Engine) shutBadger() error {
	<-e.gate.empty
	e.loops.Wait()
	return errors.Join(e.ledger.close(), e.closeBadger())
}

// closeBadger closes Badger, which writes its memtables as tables. Where the disk has no
// room for them it is left as a kill would leave it.
func (e *Engine) closeBadger() error {
	need, free := e.options.roomToCloseBytes(e.room.logs()), e.space.measure().free
	if free < need {
		return e.stop.trip("%w: closing in order needs %d MiB, %d MiB are free; the next opening recovers",
			storage.ErrNoSpace, need>>20, free>>20)
	}
	return e.db.Close()
}

// closeInTime closes Badger, and does not wait for ever once the engine has failed, nor
// at all when Badger's writer is held.
func closeInTime(closeBadger func() error, stop *failStop, holds <-chan struct{}) error {
	// done has capacity 1: Badger may end when nobody waits any more.
	done := make(chan error, 1)
	go func() { done <- closeBadger() }()
	select {
	case err := <-done:
		return closeError(err)
	case <-stop.failed:
	}
	select {
	case err := <-done:
		return closeError(err)
	case <-holds:
		return fmt.Errorf("badgerlog: badger is held after a failure: %w", stop.cause())
	case <-time.After(failedCloseTimeout):
		return fmt.Errorf("badgerlog: badger does not close after a failure: %w", stop.cause())
	}
}

func closeError(err error) error {
	if err != nil {
		return fmt.Errorf("badgerlog: close: %w", err)
	}
	return nil
}

package crash

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/headrace/headrace/faults/history"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// saidEvery is after how many looks a drain says what is left.
const saidEvery = 100

// drain stops publishing, waits until everything is acked, and records how the server
// stands then.
func (r *running) drain(ctx context.Context) error {
	r.witness.endPublishing()
	for _, c := range r.clients {
		c.calm()
	}
	stopped := r.stopClients(func(c *client) bool { return c.role.publishes() })
	if err := errors.Join(stopped, r.operators.end()); err != nil {
		return err
	}
	draining, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	for looks := 0; ; looks++ {
		left, err := r.administrator.look(draining)
		ofAccounts, accountsErr := r.operators.drain(draining)
		left, err = left+ofAccounts, errors.Join(err, accountsErr)
		if err == nil && left == 0 {
			break
		}
		if looks%saidEvery == saidEvery-1 {
			r.Logf("%d messages are left: %s", left, r.operators.waiting(false))
		}
		if !pause(draining) {
			left := fmt.Errorf("%w: %d messages are left after %v:\n%s", ErrPromiseBroken, left, drainTimeout, r.operators.waiting(true))
			return errors.Join(left, err)
		}
		select {
		case <-r.victim.process.Exited():
			return brokenBy(r.victim.live(nil))
		default:
		}
	}
	if err := r.operators.emptyIdles(draining); err != nil {
		return err
	}
	r.recorder.Record(history.Event{Kind: history.Drained})
	if _, err := r.administrator.look(ctx); err != nil {
		return err
	}
	if err := r.figures.scrape(r.victim.process.OpsAddress); err != nil {
		return err
	}
	return r.stopClients(func(*client) bool { return true })
}

// stopClients lets clients end in order.
func (r *running) stopClients(which func(*client) bool) error {
	var err error
	for _, c := range r.clients {
		if which(c) {
			err = errors.Join(err, c.stop())
		}
	}
	r.clients = slices.DeleteFunc(r.clients, which)
	return err
}

// endClients ends those that are left after something failed.
func (r *running) endClients() {
	for _, c := range r.clients {
		c.kill(r.recorder)
	}
	r.clients = nil
	r.operators.abandon()
	_ = r.administrator.conn.Close()
}

// endServer stops the server in order, looks what the store did, and walks all its
// chains.
func (r *running) endServer() error {
	if err := r.victim.process.Stop(); err != nil {
		return brokenBy(err)
	}
	r.figures.lookAt(r.storeDir())
	r.result.Store = r.figures
	engine, err := badgerlog.Open(badgerlog.DefaultOptions(r.storeDir()))
	if err != nil {
		return brokenBy(err)
	}
	_, err = storagetest.CheckStore(engine)
	if err != nil {
		err = brokenBy(err)
	}
	return errors.Join(err, engine.Close())
}

// proofs are what a store must have done for a campaign to prove anything.
var proofs = []string{
	"value logs rewritten", "messages trimmed", "messages holed", "segments moved",
	"memtables begun", "tables built", "value logs begun", "disk reads",
}

// Missing lists what the store did not do, though a campaign is to meet it.
func (r Result) Missing() []string {
	return slices.DeleteFunc(slices.Clone(proofs), func(what string) bool { return r.Store[what] > 0 })
}

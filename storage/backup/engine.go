package backup

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/headrace/headrace/storage"
)

// ErrRunning is returned when a backup runs already: there is one at a time.
var ErrRunning = errors.New("backup: another one is running")

var _ storage.Engine = (*Engine)(nil)

// Engine is a storage.Engine that can be backed up while it is used.
type Engine struct {
	storage.Engine

	id Identity

	// commit is held while a batch is committed.
	commit sync.Mutex
	// tee gets what is committed; nil without a backup.
	tee atomic.Pointer[tee]
}

// Over makes an engine that can be backed up of another one.
func Over(engine storage.Engine, id Identity) *Engine {
	return &Engine{Engine: engine, id: id}
}

// Commit implements storage.Engine, and hands the batch to the backup that runs.
func (e *Engine) Commit(b *storage.Batch) error {
	e.commit.Lock()
	defer e.commit.Unlock()
	if err := e.Engine.Commit(b); err != nil {
		return err
	}
	if t := e.tee.Load(); t != nil {
		t.add(b)
	}
	return nil
}

// aborter is a writer whose Write can hang: Abort makes it fail.
type aborter interface{ Abort(cause error) }

// Backup writes everything into w, as of the last batch that was committed when it
// ends. Commits go on and never wait for w; a w that may hang has a method
// Abort(cause error), which is called when too much waits for it. Errors: ErrRunning;
// ErrTooSlow; storage.ErrDataLoss with the record that is damaged; what w fails with;
// the context's.
func (e *Engine) Backup(ctx context.Context, w io.Writer) (Contents, error) {
	// A commit that is under way is handed over when it ends. One that ended is seen by
	// every snapshot from now on.
	t := newTee()
	if !e.tee.CompareAndSwap(nil, t) {
		return Contents{}, ErrRunning
	}
	defer e.tee.Store(nil)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-t.full:
			cancel(ErrTooSlow)
			if a, ok := w.(aborter); ok {
				a.Abort(ErrTooSlow)
			}
		case <-ctx.Done():
		}
	}()
	r := &run{view: e.Engine, tee: t, settle: e.settled}
	return r.write(ctx, w, e.id)
}

// settled returns when every batch that a snapshot has shown is in the tee: when the
// commit that was under way has ended.
func (e *Engine) settled() {
	e.commit.Lock()
	e.commit.Unlock() //nolint:staticcheck,gocritic // nothing is done in between: having got it is all
}

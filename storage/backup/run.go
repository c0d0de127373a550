package backup

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/inspect"
)

const (
	// sliceBytes, sliceKeys and sliceTime bound what one snapshot is used for.
	sliceBytes = 1 << 20
	sliceKeys  = 1024
	sliceTime  = 20 * time.Millisecond
)

// Write backs up what does not change while it runs. Errors as Engine.Backup's.
func Write(ctx context.Context, w io.Writer, v inspect.Viewer, id Identity) (Contents, error) {
	r := &run{view: v, tee: newTee(), settle: func() {}}
	return r.write(ctx, w, id)
}

// run is one backup under way.
type run struct {
	view   inspect.Viewer
	tee    *tee
	settle func()
	// buffer has the records of a slice.
	buffer []byte
}

func (r *run) write(ctx context.Context, w io.Writer, id Identity) (Contents, error) {
	x, err := newWriter(w, id)
	if err != nil {
		return Contents{}, err
	}
	for from, more := []byte(nil), true; more; {
		if from, more, err = r.slice(ctx, x, from); err != nil {
			return Contents{}, err
		}
	}
	r.settle()
	if _, err := r.drain(x); err != nil {
		return Contents{}, err
	}
	return x.finish()
}

// slice writes the batches that wait, and then the next records: in this order, so
// that the records are of a snapshot that has those batches.
func (r *run) slice(ctx context.Context, x *writer, from []byte) (next []byte, more bool, err error) {
	busy, err := r.drain(x)
	if err != nil {
		return nil, false, err
	}
	start := time.Now()
	next, err = r.scan(from, start)
	if err != nil {
		return nil, false, err
	}
	took := time.Since(start)
	if err := x.records(r.buffer); err != nil {
		return nil, false, err
	}
	return next, next != nil, rest(ctx, busy, took)
}

// rest leaves the disk to commits, while there are any, for as long as a slice took.
func rest(ctx context.Context, busy bool, took time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !busy {
		return nil
	}
	timer := time.NewTimer(took)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// drain writes the batches that were committed, and says whether there were any.
func (r *run) drain(x *writer) (busy bool, err error) {
	bodies, err := r.tee.take()
	if err != nil {
		return false, err
	}
	return len(bodies) > 0, x.batches(bodies)
}

// scan reads records from a key on into the buffer, checks each, and gives the key to
// go on from; nil at the end.
func (r *run) scan(from []byte, start time.Time) (next []byte, err error) {
	r.buffer = r.buffer[:0]
	n := 0
	err = r.view.View(func(v storage.Reader) error {
		return v.Ascend(nil, from, func(key []byte, value storage.Value) (bool, error) {
			if n == sliceKeys || len(r.buffer) >= sliceBytes || n > 0 && time.Since(start) > sliceTime {
				next = append([]byte{}, key...)
				return false, nil
			}
			n++
			return true, value.Read(func(value []byte) error {
				if err := inspect.Record(key, value); err != nil {
					return fmt.Errorf("a damaged store is not backed up: %w", err)
				}
				r.buffer = appendOp(r.buffer, key, value)
				return nil
			})
		})
	})
	return next, err
}

package backup

import (
	"fmt"
	"io"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/inspect"
)

// Target is an empty store that a backup is restored into. Nobody else uses it
// meanwhile, and it must not be taken into service unless Restore succeeded.
type Target interface {
	inspect.Viewer
	// Import applies puts and deletes together; they are durable when it returns. It
	// keeps none of their memory.
	Import(ops []storage.Op) error
	// Adopt makes a batch the last one that is known apart from the records.
	Adopt(last storage.LedgerEntry) error
}

// Restore applies a backup to a target, checks the backup on the way, and then the
// target itself, whole. Errors: those of Verify and of the target; ErrDamaged when
// what came out is not whole.
func Restore(r io.Reader, t Target) (Contents, error) {
	c, err := read(r, t.Import)
	if err != nil {
		return c, err
	}
	if err := t.Adopt(c.entry()); err != nil {
		return c, err
	}
	report := inspect.Records(t, []storage.LedgerEntry{c.entry()})
	if err := report.Err(); err != nil {
		return c, fmt.Errorf("%w: what was restored is not whole: %w", ErrDamaged, err)
	}
	if report.Messages != c.Messages || report.Bytes != c.Bytes || report.LastBatch != c.LastBatch {
		return c, fmt.Errorf("%w: %d messages up to batch %d were restored, %d up to %d are in the backup",
			ErrDamaged, report.Messages, report.LastBatch, c.Messages, c.LastBatch)
	}
	return c, nil
}

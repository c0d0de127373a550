package upkeep

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/backup"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/inspect"
)

// Backup writes a backup of a stopped store, in which nothing is changed. Damage keeps
// it from being backed up. It needs the room that Examine needs.
func Backup(ctx context.Context, dir, scratch string, w io.Writer) (err error) {
	i, err := badgerlog.Inspect(badgerlog.DefaultOptions(dir), scratch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	if damage := i.Report.Of(inspect.Damage); len(damage) > 0 {
		return errors.Join(storage.ErrDataLoss, errors.New(damage[0].String()))
	}
	_, err = backup.Write(ctx, w, i, backup.Identity{Store: i.Store, Shards: badgerlog.DefaultOptions(dir).Shards})
	return err
}

// Restore makes a store of a backup's file in an empty or new directory. After an
// error the directory holds a part of a store that no server opens.
func Restore(file, dir string) (c backup.Contents, err error) {
	f, err := os.Open(file)
	if err != nil {
		return c, err
	}
	defer func() { _ = f.Close() }() // It is only read.
	r, err := badgerlog.BeginRestoration(badgerlog.DefaultOptions(dir))
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if c, err = backup.Restore(f, r); err != nil {
		return c, err
	}
	return c, r.Finish()
}

package upkeep

import (
	"errors"

	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/inspect"
)

// Examination is what was found in a directory.
type Examination struct {
	// Report has the findings, those about files first.
	*inspect.Report
	// Store is the store's id; empty when it cannot be read.
	Store string
	// Readable: the records could be looked at.
	Readable bool
}

// Examine looks at a store and changes nothing. It needs room in scratch (empty: the
// system's directory for temporary files) for a copy of the write-ahead logs and one
// value log.
func Examine(dir, scratch string) (e *Examination, err error) {
	i, err := badgerlog.Inspect(badgerlog.DefaultOptions(dir), scratch)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	e = &Examination{Report: &i.Report, Readable: i.Records()}
	if i.Store != (badgerlog.StoreID{}) {
		e.Store = i.Store.String()
	}
	if e.Readable {
		records := inspect.Records(i, i.Ledger)
		records.Prepend(&i.Report)
		e.Report = records
	}
	return e, nil
}

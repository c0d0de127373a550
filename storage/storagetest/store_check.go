package storagetest

import (
	"errors"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/inspect"
)

// CheckStore inspects a store whose shard log is closed, and gives what does not fit
// as an error: see inspect.Records. Records of kinds that nobody knows count too.
func CheckStore(engine storage.Engine) (*inspect.Report, error) {
	report := inspect.Records(engine, engine.Ledger())
	err := report.Err()
	for _, f := range report.Of(inspect.Warning) {
		if f.Severity == inspect.Warning {
			err = errors.Join(err, errors.New(f.String()))
		}
	}
	return report, err
}

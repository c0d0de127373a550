package node

import (
	"log/slog"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/badgerlog"
)

// openEngine opens the engine that keeps the records.
func openEngine(c config.Server, logger *slog.Logger) (storage.Engine, error) {
	o := badgerlog.DefaultOptions(c.Dir)
	o.Logger = logger
	return badgerlog.Open(o)
}

package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
	"github.com/headrace/headrace/server"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/storage/backup"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/shardlog"
)

// Endpoints are where a node listens.
type Endpoints struct {
	// Address is where clients connect, host:port.
	Address string `json:"address"`
	// OpsAddress is where metrics and health answer; empty: nowhere.
	OpsAddress string `json:"ops_address"`
}

// node is a store and what it was made with.
type node struct {
	config config.Server
	clock  *nodeClock
	logger *slog.Logger
	engine *badgerlog.Engine
	// backups is the engine as the store sees it: one that can be backed up.
	backups *backup.Engine
	store   *shardlog.Store
}

// Run serves until ctx ends, and then lets clients finish. It calls ready once
// clients can connect; an error of it stops the node.
func Run(ctx context.Context, c config.Server, logger *slog.Logger, ready func(Endpoints) error) error {
	n, err := open(ctx, c, logger)
	if err != nil {
		return fmt.Errorf("opening %s: %w", c.Dir, err)
	}
	err = n.serve(ctx, ready)
	closeErr := n.store.Close()
	if err == nil && closeErr != nil {
		// What was acknowledged is on disk by then: this loses nothing, but the next
		// start has to recover.
		return fmt.Errorf("closing %s: %w", c.Dir, closeErr)
	}
	if closeErr != nil {
		logger.Error("closing the store", "error", closeErr)
	}
	return err
}

// open opens the engine and the store on it.
func open(ctx context.Context, c config.Server, logger *slog.Logger) (*node, error) {
	clock := &nodeClock{wall: wallClock(c.ClockOffsetFile)}
	o := badgerlog.DefaultOptions(c.Dir)
	o.Logger = logger
	o.HighMarkBytes, o.LowMarkBytes, o.BallastBytes = uint64(c.DiskHighMark), uint64(c.DiskLowMark), uint64(c.Ballast)
	store := shardlog.Options{
		Clock:      clock.now,
		Logger:     logger,
		TailBytes:  int(c.TailMemory),
		CacheBytes: int(c.CacheMemory),
		AcceptLoss: acceptedLoss(c.AcceptLoss),
	}
	if c.Restless {
		makeRestless(&o, &store)
	}
	engine, err := badgerlog.Open(o)
	if err != nil {
		return nil, err
	}
	backups := backup.Over(engine, backup.Identity{Store: engine.StoreID(), Shards: o.Shards})
	s, err := shardlog.Open(ctx, backups, store)
	return &node{c, clock, logger, engine, backups, s}, err
}

func acceptedLoss(b config.BatchRanges) []shardlog.BatchRange {
	var ranges []shardlog.BatchRange
	for _, r := range b.List {
		ranges = append(ranges, shardlog.BatchRange(r))
	}
	return ranges
}

// serve runs the server over the open store.
func (n *node) serve(ctx context.Context, ready func(Endpoints) error) error {
	s, err := n.assemble()
	if err != nil {
		return err
	}
	if err := s.Listen(); err != nil {
		s.Stop()
		return err
	}
	if err := ready(Endpoints{Address: address(s.Addr()), OpsAddress: address(s.OpsAddr())}); err != nil {
		s.Stop()
		return err
	}
	return s.Run(ctx)
}

// assemble puts a broker on the store and a server on the broker.
func (n *node) assemble() (*server.Server, error) {
	c := n.config
	b, err := broker.New(n.store, broker.Config{
		MaxMessageBytes:     int(c.MaxMessageBytes),
		OutboundMemoryBytes: int64(c.OutboundMemory),
		PublishMemoryBytes:  int64(c.PublishMemory),
		MaxTopics:           c.MaxTopics,
		MaxSubscriptions:    c.MaxSubscriptions,
		MaxSessions:         c.MaxSessions,
		Clock:               n.clock.now,
		CopyLetter:          server.CopyLetter,
		Logger:              n.logger,
	})
	if err != nil {
		return nil, err
	}
	s, err := server.New(server.Config{
		Listen:          c.Listen,
		OpsListen:       c.OpsListen,
		Insecure:        c.Insecure,
		DrainTimeout:    c.DrainTimeout,
		MaxMessageBytes: int(c.MaxMessageBytes),
		Backup:          n.backup,
		Collectors:      []prometheus.Collector{&storeCollector{n.store, n.engine}},
		TestControl:     n.testControl(),
		Logger:          n.logger,
	}, b, n.store)
	if err != nil {
		b.Close()
		return nil, err
	}
	return s, nil
}

// testControl is what clients may do to a server for tests, nil for any other.
func (n *node) testControl() *server.TestControl {
	if !n.config.Testing {
		return nil
	}
	return &server.TestControl{AdvanceWall: n.clock.advance}
}

// backup writes a backup of the store for the server, in whose words the errors are.
func (n *node) backup(ctx context.Context, w io.Writer) error {
	n.logger.Info("backup begins")
	contents, err := n.backups.Backup(ctx, w)
	switch {
	case err == nil:
		n.logger.Info("backup is written", "last_batch", contents.LastBatch, "messages", contents.Messages, "bytes", contents.Bytes)
		return nil
	case errors.Is(err, backup.ErrRunning):
		return fmt.Errorf("%w: %w", server.ErrBackupRunning, err)
	case errors.Is(err, backup.ErrTooSlow):
		err = fmt.Errorf("%w: %w", server.ErrBackupTooSlow, err)
	}
	n.logger.Warn("backup failed", "error", err)
	return err
}

func address(a net.Addr) string {
	if a == nil {
		return ""
	}
	return a.String()
}

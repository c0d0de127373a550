package node

import (
	"context"
	"fmt"
	"log/slog"
	"net"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
	"github.com/headrace/headrace/server"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/storage/shardlog"
)

// Endpoints are where a node listens.
type Endpoints struct {
	// Address is where clients connect, host:port.
	Address string `json:"address"`
	// OpsAddress is where metrics and health answer; empty: nowhere.
	OpsAddress string `json:"ops_address"`
}

// Run serves until ctx ends, and then lets clients finish. It calls ready once
// clients can connect; an error of it stops the node.
func Run(ctx context.Context, c config.Server, logger *slog.Logger, ready func(Endpoints) error) error {
	store, err := openStore(ctx, c, logger)
	if err != nil {
		return fmt.Errorf("opening %s: %w", c.Dir, err)
	}
	err = serve(ctx, c, logger, store, ready)
	closeErr := store.Close()
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

// serve runs the server over an open store.
func serve(ctx context.Context, c config.Server, logger *slog.Logger, store *shardlog.Store, ready func(Endpoints) error) error {
	s, err := assemble(c, logger, store)
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

func openStore(ctx context.Context, c config.Server, logger *slog.Logger) (*shardlog.Store, error) {
	engine, err := openEngine(c, logger)
	if err != nil {
		return nil, err
	}
	return shardlog.Open(ctx, engine, shardlog.Options{
		Logger:     logger,
		TailBytes:  int(c.TailMemory),
		CacheBytes: int(c.CacheMemory),
	})
}

// assemble puts a broker on the store and a server on the broker.
func assemble(c config.Server, logger *slog.Logger, store *shardlog.Store) (*server.Server, error) {
	b, err := broker.New(store, broker.Config{
		MaxMessageBytes:     int(c.MaxMessageBytes),
		OutboundMemoryBytes: int64(c.OutboundMemory),
		PublishMemoryBytes:  int64(c.PublishMemory),
		MaxTopics:           c.MaxTopics,
		MaxSubscriptions:    c.MaxSubscriptions,
		MaxSessions:         c.MaxSessions,
		Logger:              logger,
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
		Logger:          logger,
	}, b, store)
	if err != nil {
		b.Close()
		return nil, err
	}
	return s, nil
}

func address(a net.Addr) string {
	if a == nil {
		return ""
	}
	return a.String()
}

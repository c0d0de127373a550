package node

import (
	"context"
	"errors"
	"log/slog"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
)

// Endpoints are where a node listens.
type Endpoints struct {
	// Address is where clients connect, host:port.
	Address string `json:"address"`
	// OpsAddress is where metrics and health answer; empty: nowhere.
	OpsAddress string `json:"ops_address"`
}

// Run serves until ctx ends, and then lets clients finish.
func Run(ctx context.Context, c config.Server, logger *slog.Logger, ready func(Endpoints) error) error {
	return errors.New("not yet")
}

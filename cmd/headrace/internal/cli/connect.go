package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/sdk/go"
)

const (
	// addrVariable names the server for clients.
	addrVariable = "HEADRACE_ADDR"
	// defaultAddr is where a server listens unless it is told otherwise.
	defaultAddr = "127.0.0.1:7070"
	// connectTimeout is how long a command tries to reach its server.
	connectTimeout = 3 * time.Second
	// stepTimeout bounds the calls of an administrative command together.
	stepTimeout = 30 * time.Second
)

// addAddr gives a client command the flag that names its server.
func (a *App) addAddr(c *cobra.Command) {
	c.Flags().StringVar(&a.addr, "addr", "", "the server's host:port (default $"+addrVariable+", else "+defaultAddr+")")
}

// address is the server that a client command talks to.
func (a *App) address() string {
	if a.addr != "" {
		return a.addr
	}
	if addr := a.variable(addrVariable); addr != "" {
		return addr
	}
	return defaultAddr
}

// variable is the value of an environment variable; empty when it is not set.
func (a *App) variable(name string) string {
	for _, entry := range a.Environ() {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// dial makes a client of the server.
func (a *App) dial(ctx context.Context, opts ...headrace.DialOption) (*headrace.Client, error) {
	return headrace.Dial(ctx, a.address(), append([]headrace.DialOption{headrace.WithConnectTimeout(connectTimeout)}, opts...)...)
}

// withClient runs one administrative step within stepTimeout.
func (a *App) withClient(ctx context.Context, step func(context.Context, *headrace.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	client, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return step(ctx, client)
}

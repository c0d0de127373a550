package cli

import (
	"cmp"
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

// addAddr gives a client command the flags that name its server.
func (a *App) addAddr(c *cobra.Command) {
	c.Flags().StringVar(&a.addr, "addr", "", "the server's host:port (default $"+addrVariable+", else the context's, else "+defaultAddr+")")
	c.Flags().StringVar(&a.contextName, "context", "",
		"a server by its name among the contexts (default $"+contextVariable+", else the current one)")
}

// locate finds the server that a client command talks to; see the context command.
func (a *App) locate() (string, error) {
	addr, err := a.addr, error(nil)
	if addr == "" && a.contextName == "" {
		addr = a.variable(addrVariable)
	}
	if addr == "" {
		addr, err = a.chosenContext(cmp.Or(a.contextName, a.variable(contextVariable)))
	}
	a.server = cmp.Or(addr, defaultAddr)
	return a.server, err
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
	addr, err := a.locate()
	if err != nil {
		return nil, err
	}
	return headrace.Dial(ctx, addr, append([]headrace.DialOption{headrace.WithConnectTimeout(connectTimeout)}, opts...)...)
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

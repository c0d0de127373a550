package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/headrace/headrace/sdk/conformance/driver"
	"github.com/headrace/headrace/sdk/conformance/proxy"
	"github.com/headrace/headrace/sdk/conformance/record"
	"github.com/headrace/headrace/sdk/conformance/scenario"
)

// mainProcess is where clients live that name no process.
const mainProcess = "main"

// errNoClient is returned when a step names a client that does not exist.
var errNoClient = errors.New("no such client")

// cast is everybody that plays: processes, clients, their networks, their subscribers.
type cast struct {
	language Language
	history  *record.History
	server   *server
	log      io.Writer

	mu          sync.Mutex
	processes   map[string]*driver.Process
	clients     map[string]*client
	subscribers map[string]*subscriber
	// published are the messages by their names; numbers count those of each prefix.
	published map[string]driver.Message
	numbers   map[string]int
}

// client is a client of the SDK.
type client struct {
	name    string
	process string
	link    *proxy.Link
	gone    atomic.Bool // closed, or killed.
}

func newCast(l Language, h *record.History, s *server, log io.Writer) *cast {
	return &cast{
		language: l, history: h, server: s, log: log,
		processes: map[string]*driver.Process{}, clients: map[string]*client{}, subscribers: map[string]*subscriber{},
		published: map[string]driver.Message{}, numbers: map[string]int{},
	}
}

// process gives the process with a name, and starts it when it is not there.
func (c *cast) process(name string) (*driver.Process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.processes[name]; p != nil {
		return p, nil
	}
	p, err := driver.Start(c.language.Driver, func(e driver.Event) { c.told(name, e) }, c.log)
	if err == nil {
		c.processes[name] = p
	}
	return p, err
}

// connect makes a client, and waits until its SDK has it.
func (c *cast) connect(ctx context.Context, step scenario.Connect) error {
	if step.Process == "" {
		step.Process = mainProcess
	}
	link, err := proxy.Listen(step.Client, c.server.address, c.history)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.clients[step.Client] = &client{name: step.Client, process: step.Process, link: link}
	c.mu.Unlock()
	if err := c.tell(step.Client, driver.Command{Do: "connect", Address: link.Address()}); err != nil {
		return err
	}
	return c.await(ctx, "connected", record.Fields{"client": step.Client})
}

func (c *cast) client(name string) (*client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.clients[name]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("%w: %q", errNoClient, name)
}

// tell tells the driver of a client a command.
func (c *cast) tell(clientName string, command driver.Command) error {
	found, err := c.client(clientName)
	if err != nil {
		return err
	}
	if found.gone.Load() {
		return fmt.Errorf("%w any more: %q", errNoClient, clientName)
	}
	p, err := c.process(found.process)
	if err != nil {
		return err
	}
	command.Client = clientName
	return p.Tell(command)
}

// await waits for an event of a kind with some fields.
func (c *cast) await(ctx context.Context, kind string, fields record.Fields) error {
	m := record.Match{"event": {kind}}
	for name, value := range fields {
		m[name] = record.Values{value}
	}
	return c.history.Await(ctx, record.Wait{Of: m, Count: 1})
}

// closeClient lets a client end in order.
func (c *cast) closeClient(ctx context.Context, name string) error {
	if err := c.tell(name, driver.Command{Do: "close"}); err != nil {
		return err
	}
	if err := c.await(ctx, "closed", record.Fields{"client": name}); err != nil {
		return err
	}
	found, err := c.client(name)
	if err == nil {
		found.gone.Store(true)
	}
	return err
}

// kill kills the process of a client, with all its clients.
func (c *cast) kill(name string) error {
	killed, err := c.client(name)
	if err != nil {
		return err
	}
	p, err := c.process(killed.process)
	if err != nil {
		return err
	}
	c.mu.Lock()
	for _, other := range c.clients {
		if other.process == killed.process {
			other.gone.Store(true)
		}
	}
	delete(c.processes, killed.process)
	c.mu.Unlock()
	p.Kill()
	c.history.Record("killed", record.Fields{"client": name})
	return nil
}

// leave ends everything in order: networks are whole, what is held goes back, clients
// close.
func (c *cast) leave(ctx context.Context) error {
	c.mu.Lock()
	clients := slices.Collect(maps.Values(c.clients))
	subscribers := slices.Collect(maps.Values(c.subscribers))
	c.mu.Unlock()
	for _, one := range clients {
		one.link.Heal()
	}
	for _, s := range subscribers {
		s.from(scenario.Rule{Do: scenario.Release})
	}
	for _, one := range clients {
		if one.gone.Load() {
			continue
		}
		if err := c.closeClient(ctx, one.name); err != nil {
			return fmt.Errorf("closing %q: %w", one.name, err)
		}
	}
	return c.end(ctx)
}

// end lets the drivers end, and waits for them.
func (c *cast) end(ctx context.Context) error {
	c.mu.Lock()
	processes := maps.Clone(c.processes)
	c.mu.Unlock()
	for name, p := range processes {
		p.End()
		select {
		case <-p.Exited():
		case <-ctx.Done():
			return fmt.Errorf("the driver %q does not end: %w", name, context.Cause(ctx))
		}
	}
	return nil
}

// dismiss ends what is still there, in whatever way.
func (c *cast) dismiss() {
	c.mu.Lock()
	processes := slices.Collect(maps.Values(c.processes))
	clients := slices.Collect(maps.Values(c.clients))
	c.mu.Unlock()
	for _, p := range processes {
		p.Kill()
	}
	for _, one := range clients {
		one.link.Close()
	}
}

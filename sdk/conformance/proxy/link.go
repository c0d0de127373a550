package proxy

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/headrace/headrace/sdk/conformance/record"
)

// Link is a network between one client and the server. It is safe for concurrent use.
type Link struct {
	name     string
	listener net.Listener
	server   func() string
	history  *record.History
	up, down *gate
	serving  sync.WaitGroup

	mu      sync.Mutex
	carried map[*carrier]bool
	refuses bool
}

// Listen makes a link on a port of its own. Where the server is, is asked for each
// connection.
func Listen(name string, server func() string, history *record.History) (*Link, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &Link{
		name: name, listener: listener, server: server, history: history,
		up: newGate(), down: newGate(), carried: map[*carrier]bool{},
	}
	l.serving.Go(l.accept)
	return l, nil
}

// Address is where the client connects.
func (l *Link) Address() string { return l.listener.Addr().String() }

func (l *Link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.serving.Go(func() { l.carry(client) })
	}
}

func (l *Link) carry(client net.Conn) {
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", l.server())
	if err != nil {
		reset(client)
		return
	}
	c := &carrier{client: client, server: server, tap: newTap(l.name, l.history), over: make(chan struct{})}
	if !l.enter(c) {
		c.cut()
		return
	}
	defer l.leave(c)
	var pumps sync.WaitGroup
	pumps.Go(func() { c.pump(client, server, c.tap.fromClient, l.up) })
	pumps.Go(func() { c.pump(server, client, c.tap.fromServer, l.down) })
	pumps.Wait()
	c.cut()
}

func (l *Link) enter(c *carrier) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.refuses {
		l.carried[c] = true
	}
	return !l.refuses
}

func (l *Link) leave(c *carrier) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.carried, c)
}

// Cut resets every connection, and drops what is held. New ones are made.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.carried {
		c.cut()
	}
}

// Refuse cuts, and lets nobody connect until Heal.
func (l *Link) Refuse() {
	l.mu.Lock()
	l.refuses = true
	l.mu.Unlock()
	l.Cut()
}

// HoldServer holds back what the server says.
func (l *Link) HoldServer() { l.down.hold() }

// HoldClient holds back what the client says.
func (l *Link) HoldClient() { l.up.hold() }

// Delay lets everything take that much longer, both ways.
func (l *Link) Delay(d time.Duration) {
	l.up.delay(d)
	l.down.delay(d)
}

// Heal ends every fault; what was held goes on its way.
func (l *Link) Heal() {
	l.mu.Lock()
	l.refuses = false
	l.mu.Unlock()
	l.up.open()
	l.down.open()
}

// Close ends the link.
func (l *Link) Close() {
	_ = l.listener.Close()
	l.Refuse()
	l.up.open()
	l.down.open()
	l.serving.Wait()
}

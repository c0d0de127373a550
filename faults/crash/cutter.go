package crash

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

const (
	// cutEvery is the mean time between two cuts.
	cutEvery = 2 * time.Second
	// The first one comes between firstCut and two of it after the start: before the server
	// is killed for the first time, and when something is under way.
	firstCut = 600 * time.Millisecond
)

// cutter makes connections and breaks them, while server and client live.
type cutter struct {
	mu    sync.Mutex
	conns map[*cutConn]bool
}

// cutConn forgets itself when it is closed.
type cutConn struct {
	net.Conn
	cutter *cutter
}

func (c *cutter) dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	one := &cutConn{conn, c}
	c.conns[one] = true
	return one, nil
}

// Close closes the connection.
func (c *cutConn) Close() error {
	c.cutter.mu.Lock()
	delete(c.cutter.conns, c)
	c.cutter.mu.Unlock()
	return c.Conn.Close()
}

// run breaks all connections again and again until ctx ends, or it is calm.
func (c *cutter) run(ctx context.Context, calm *calm, random *rand.Rand) {
	wait := firstCut + time.Duration(random.Int64N(int64(firstCut)))
	for ; pauseFor(ctx, wait) && !calm.Load(); wait = time.Duration(random.Int64N(int64(2 * cutEvery))) {
		c.mu.Lock()
		for conn := range c.conns {
			_ = conn.Conn.Close() // Whoever uses it sees it.
		}
		c.mu.Unlock()
	}
}

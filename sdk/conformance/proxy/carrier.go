package proxy

import (
	"net"
	"sync"
	"time"
)

const (
	// readBytes is how much is read at once.
	readBytes = 32 << 10
	// queueChunks is how many reads are held back before the sender feels it.
	queueChunks = 16 << 10
)

// carrier carries one connection.
type carrier struct {
	client, server net.Conn
	tap            *tap
	// over is closed when the connection is cut, or has ended by itself.
	over chan struct{}
	once sync.Once
}

// chunk is what one read gave.
type chunk struct {
	bytes []byte
	read  time.Time
}

// pump carries one direction until it ends, and ends the other side with it.
func (c *carrier) pump(from, to net.Conn, listen func([]byte), g *gate) {
	// queue has room for what a held direction says meanwhile.
	queue := make(chan chunk, queueChunks)
	var writing sync.WaitGroup
	writing.Go(func() { c.write(to, queue, g) })
	c.read(from, queue, listen)
	close(queue)
	writing.Wait()
}

func (c *carrier) read(from net.Conn, queue chan<- chunk, listen func([]byte)) {
	for {
		buf := make([]byte, readBytes)
		n, err := from.Read(buf)
		if n > 0 {
			listen(buf[:n])
			queue <- chunk{bytes: buf[:n], read: time.Now()}
		}
		if err != nil {
			return
		}
	}
}

// write writes what is queued, but nothing more once it is over.
func (c *carrier) write(to net.Conn, queue <-chan chunk, g *gate) {
	for next := range queue {
		if !g.await(next.read, c.over) {
			continue
		}
		if _, err := to.Write(next.bytes); err != nil {
			c.cut()
		}
	}
	_ = to.Close()
}

// cut resets both sides.
func (c *carrier) cut() {
	c.once.Do(func() {
		close(c.over)
		reset(c.client)
		reset(c.server)
	})
}

func reset(conn net.Conn) {
	if t, ok := conn.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = conn.Close()
}

package servertest

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc/test/bufconn"
)

// transportBytes is the buffer of the in-memory transport, each way.
const transportBytes = 1 << 20

// listener is where a server listens, and the way there.
type listener interface {
	net.Listener
	DialContext(ctx context.Context) (net.Conn, error)
}

// listen listens in memory, or on the loopback interface.
func listen(tb testing.TB, network bool) listener {
	tb.Helper()
	if !network {
		return bufconn.Listen(transportBytes)
	}
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("listen: %v", err)
	}
	return loopback{l}
}

// loopback listens on the loopback interface.
type loopback struct{ net.Listener }

// DialContext connects to the listener.
func (l loopback) DialContext(ctx context.Context) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
}

package headrace

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

const (
	// keepaliveInterval is how often an idle connection is pinged; the server
	// allows a ping each 20 s.
	keepaliveInterval = 30 * time.Second
	// keepaliveTimeout is how long a ping may stay unanswered.
	keepaliveTimeout = 10 * time.Second
	// maxReceiveBytes is above every frame that a server may send: 64 MiB and
	// what the frame adds.
	maxReceiveBytes = 65 << 20
	// writeBufferBytes and readBufferBytes hold several HTTP/2 frames a system
	// call.
	writeBufferBytes = 128 << 10
	readBufferBytes  = 128 << 10
	// reconnectMax is the longest that gRPC waits before it connects again.
	reconnectMax = 5 * time.Second
)

// connection is the gRPC connection of a client. It connects when it is first
// used, and remembers whether it ever did.
type connection struct {
	*grpc.ClientConn

	addr    string
	timeout time.Duration // for the first connection.
	reached atomic.Bool
	closed  atomic.Bool
}

func newConnection(addr string, config dialConfig) (*connection, error) {
	c := &connection{addr: addr, timeout: config.connectTimeout}
	options, err := credentialOptions(addr, config)
	if err != nil {
		return nil, err
	}
	options = append(options,
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: keepaliveInterval, Timeout: keepaliveTimeout, PermitWithoutStream: true,
		}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxReceiveBytes)),
		grpc.WithWriteBufferSize(writeBufferBytes),
		grpc.WithReadBufferSize(readBufferBytes),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: shortestBackoff, Multiplier: 2, Jitter: 0.2, MaxDelay: reconnectMax},
			MinConnectTimeout: reconnectMax,
		}),
		grpc.WithUnaryInterceptor(c.reachFirst),
	)
	target := addr
	if config.dialer != nil {
		target = "passthrough:///" + addr
		options = append(options, grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return config.dialer(ctx, addr)
		}))
	}
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		return nil, fmt.Errorf("headrace: address %q: %w", addr, err)
	}
	c.ClientConn = conn
	return c, nil
}

// reachFirst makes a unary call fail clearly when the server was never reached.
func (c *connection) reachFirst(ctx context.Context, method string, request, reply any,
	conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	if method != healthpb.Health_Check_FullMethodName {
		if err := c.reach(ctx); err != nil {
			return err
		}
	}
	err := invoke(ctx, method, request, reply, conn, opts...)
	if c.closed.Load() && ctx.Err() == nil && status.Code(err) == codes.Canceled {
		return errCallClosed // Else it would look as if ctx had ended.
	}
	return err
}

// errCallClosed is returned by a call that a closed client was asked for, or that was under
// way when it was closed.
var errCallClosed = &Error{Reason: "CLOSED", Message: "the client was closed before the answer"}

// Close closes the connection; calls fail from then on.
func (c *connection) Close() error {
	c.closed.Store(true)
	return c.ClientConn.Close()
}

// reach returns nil once the server was reached, now or ever before. Else it
// tries, at most for the connect timeout, and returns ErrUnreachable, which is
// ctx's error too when that ended first. Any answer counts, a refusal too.
func (c *connection) reach(ctx context.Context) error {
	if c.reached.Load() {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var pause backoffPause
	why := "no answer"
	for {
		_, err := healthpb.NewHealthClient(c).Check(bounded, &healthpb.HealthCheckRequest{})
		if c.closed.Load() {
			return errCallClosed
		}
		if c.answered(err) {
			c.reached.Store(true)
			return nil
		}
		if status.Code(err) == codes.Unavailable {
			why = status.Convert(err).Message()
		}
		if !sleep(bounded, pause.next()) {
			return c.unreachable(ctx.Err(), why)
		}
	}
}

// answered reports whether err is the server's own answer. UNAVAILABLE without
// a reason, and what contexts make, come from this side or from a proxy.
func (c *connection) answered(err error) bool {
	s := status.Convert(err)
	switch s.Code() {
	case codes.Unavailable, codes.Canceled, codes.DeadlineExceeded:
		return len(s.Details()) != 0
	default:
		return true
	}
}

func (c *connection) unreachable(cause error, why string) error {
	return &Error{
		Reason: "UNREACHABLE", Code: codeName(codes.Unavailable), Retryable: true, cause: cause,
		Message: fmt.Sprintf("server %s cannot be reached: %s", c.addr, why),
	}
}

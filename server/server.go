package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"

	"github.com/headrace/headrace/server/broker"
)

// insecureReminder is how often an open server says that it is open.
const insecureReminder = time.Minute

// Store is what a server needs to know of the store below its broker.
type Store interface {
	// AcceptsPublishes is false while the disk is too full for messages.
	AcceptsPublishes() bool
	// Failed is closed when the store failed for good; Err says why.
	Failed() <-chan struct{}
	Err() error
}

// Server answers clients over gRPC, and operators over HTTP.
type Server struct {
	config  Config
	broker  *broker.Broker
	store   Store
	grpc    *grpc.Server
	health  *health.Server
	ops     *http.Server
	loops   loops
	metrics *metrics
	// faults are those that tests inject; nil on a server that is not for tests.
	faults *injectedFaults

	// stopping is closed when the server begins to stop.
	stopping  chan struct{}
	beginStop sync.Once
	serving   chan struct{}
	serve     sync.Once

	mu                    sync.Mutex
	listener, opsListener net.Listener
}

// New makes a server over a broker, which is the server's to close from now on,
// and over the store below it, which is not. With an error both stay the caller's.
// Errors: those of Config.Validate, and of collectors that do not go together.
func New(config Config, b *broker.Broker, store Store) (*Server, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	s := &Server{
		config:   config,
		broker:   b,
		store:    store,
		health:   health.NewServer(),
		metrics:  newMetrics(config.MaxMetricResources, config.Insecure),
		stopping: make(chan struct{}),
		serving:  make(chan struct{}),
	}
	if config.TestControl != nil {
		s.faults = &injectedFaults{}
	}
	s.grpc = grpc.NewServer(s.options()...)
	s.register()
	collectors := append([]prometheus.Collector{
		&brokerCollector{broker: b, store: store, most: config.MaxMetricResources},
	}, config.Collectors...)
	if err := s.metrics.register(collectors); err != nil {
		return nil, err
	}
	s.metrics.calls.InitializeMetrics(s.grpc)
	s.ops = newOps(s.metrics.registry, s.live, s.ready)
	return s, nil
}

// Listen binds the addresses of the configuration; Addr tells them from then on.
// Run does it by itself when it was not called.
func (s *Server) Listen() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		return nil
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(context.Background(), "tcp", s.config.Listen)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	if s.config.OpsListen != OpsOff {
		if s.opsListener, err = listen.Listen(context.Background(), "tcp", s.config.OpsListen); err != nil {
			return errors.Join(fmt.Errorf("server: operations listener: %w", err), listener.Close())
		}
	}
	s.listener = listener
	return nil
}

// Addr is where clients connect, nil before Listen.
func (s *Server) Addr() net.Addr { return addrOf(s.listeners(0)) }

// OpsAddr is where operators connect, nil before Listen or without a listener.
func (s *Server) OpsAddr() net.Addr { return addrOf(s.listeners(1)) }

func addrOf(l net.Listener) net.Addr {
	if l == nil {
		return nil
	}
	return l.Addr()
}

func (s *Server) listeners(i int) net.Listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	return [...]net.Listener{s.listener, s.opsListener}[i]
}

// Run serves until ctx ends, Stop is called or the store fails. When ctx ends it
// drains: it says that it does not serve, asks clients to go, and waits for what
// they hold, at most for DrainTimeout. The broker is closed when Run returns. It
// returns nil after an end that was asked for, else what went wrong.
func (s *Server) Run(ctx context.Context) error {
	if err := s.Listen(); err != nil {
		return err
	}
	return s.Serve(ctx, s.listeners(0), s.listeners(1))
}

// Serve is Run on listeners of the caller's, which are closed when it returns; ops
// may be nil. Run or Serve is called once.
func (s *Server) Serve(ctx context.Context, listener, ops net.Listener) error {
	failed := make(chan error, 2) // one result of each listener's goroutine
	var running sync.WaitGroup
	running.Go(func() { failed <- s.grpc.Serve(listener) })
	if ops != nil {
		running.Go(func() { failed <- s.serveOps(ops) })
	}
	if s.config.Insecure {
		running.Go(s.remind)
	}
	s.setServing()
	err := s.untilStop(ctx, failed)
	s.shutOps()
	running.Wait()
	s.loops.wait()
	return err
}

// Stop ends everything at once: streams end with DRAINING and nothing is charged.
// It may be called at any time, by many, while Run drains, and without a Run.
func (s *Server) Stop() {
	s.notServing()
	s.broker.Close()
	s.stopCalls(hurryTimeout)
	s.loops.wait()
	s.unbind()
}

// unbind closes what Listen bound, for a server that never ran.
func (s *Server) unbind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range []net.Listener{s.listener, s.opsListener} {
		if l != nil {
			_ = l.Close() // Who served on it has closed it already.
		}
	}
}

// Metrics gives the server's metrics, as /metrics shows them.
func (s *Server) Metrics() prometheus.Gatherer { return s.metrics.registry }

// Serving is closed when the server answers.
func (s *Server) Serving() <-chan struct{} { return s.serving }

func (s *Server) serveOps(l net.Listener) error {
	if err := s.ops.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// remind says each minute that anyone may connect.
func (s *Server) remind() {
	ticker := time.NewTicker(insecureReminder)
	defer ticker.Stop()
	for {
		s.config.Logger.Warn("listening without authentication: anyone who can connect may do anything", "listen", s.config.Listen)
		select {
		case <-ticker.C:
		case <-s.stopping:
			return
		}
	}
}

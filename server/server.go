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
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	// Clients may compress their frames; what comes out is counted.
	_ "google.golang.org/grpc/encoding/gzip"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
)

const (
	// stopTimeout bounds how long an orderly stop waits for calls that do not end by
	// themselves, once the broker has drained; hurryTimeout, how long Stop does, so
	// that clients are told why.
	stopTimeout  = 3 * time.Second
	hurryTimeout = 250 * time.Millisecond
	// insecureReminder is how often an open server says that it is open.
	insecureReminder = time.Minute

	// frameHeadroomBytes is what a frame may have beside its messages.
	frameHeadroomBytes = 256 << 10
	// minReceiveBytes is what a frame may always have.
	minReceiveBytes = 4 << 20
)

// The reasons that probes give.
var (
	errNotServing = errors.New("not serving")
	errStopping   = errors.New("stopping")
	errStore      = errors.New("the store failed")
)

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
// It may be called at any time, by many, and while Run drains.
func (s *Server) Stop() {
	s.notServing()
	s.broker.Close()
	s.stopCalls(hurryTimeout)
	s.loops.wait()
}

// Metrics gives the server's metrics, as /metrics shows them.
func (s *Server) Metrics() prometheus.Gatherer { return s.metrics.registry }

// Serving is closed when the server answers.
func (s *Server) Serving() <-chan struct{} { return s.serving }

// untilStop waits for a reason to stop, and stops.
func (s *Server) untilStop(ctx context.Context, failed <-chan error) error {
	select {
	case <-ctx.Done():
		return s.drain()
	case <-s.stopping:
		s.Stop()
		return nil
	case <-s.store.Failed():
		return s.fail()
	case err := <-failed:
		return s.cut(err)
	}
}

// cut ends a server whose listener failed; not one whose listener Stop closed.
func (s *Server) cut(err error) error {
	select {
	case <-s.stopping:
		err = nil
	default:
	}
	s.Stop()
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	return nil
}

// drain is the orderly stop. Stop, or a store that fails, cuts it short.
func (s *Server) drain() error {
	s.config.Logger.Info("draining", "timeout", s.config.DrainTimeout)
	s.notServing()
	ctx, cancel := context.WithTimeout(context.Background(), s.config.DrainTimeout+stopTimeout)
	defer cancel()
	if err := s.broker.Drain(ctx, s.config.DrainTimeout); err != nil {
		s.config.Logger.Warn("drain cut short", "error", err)
	}
	s.stopCalls(stopTimeout)
	s.Stop()
	s.config.Logger.Info("stopped")
	return nil
}

// fail ends a server whose store can no longer vouch for what it stored. The broker
// tells its streams so.
func (s *Server) fail() error {
	s.notServing()
	s.stopCalls(stopTimeout)
	s.Stop()
	err := fmt.Errorf("%w: %w", errStore, s.store.Err())
	s.config.Logger.Error("the store failed; the server has stopped and must be started again", "error", s.store.Err())
	return err
}

// stopCalls lets calls end by themselves, for a while. No handler runs when it
// returns.
func (s *Server) stopCalls(most time.Duration) {
	done := make(chan struct{})
	go func() {
		s.grpc.GracefulStop()
		close(done)
	}()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
	s.grpc.Stop()
	<-done
}

// shutOps ends the operations listener, last: operators see the end.
func (s *Server) shutOps() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := s.ops.Shutdown(ctx); err != nil {
		s.config.Logger.Warn("operations listener cut off", "error", errors.Join(err, s.ops.Close()))
	}
}

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

// services are the names that health answers for; the empty one is the server.
var services = []string{
	"",
	headracev1.PublisherService_ServiceDesc.ServiceName,
	headracev1.SubscriberService_ServiceDesc.ServiceName,
	headracev1.TopicService_ServiceDesc.ServiceName,
	headracev1.SubscriptionService_ServiceDesc.ServiceName,
}

func (s *Server) setServing() {
	for _, service := range services {
		s.health.SetServingStatus(service, healthv1.HealthCheckResponse_SERVING)
	}
	s.serve.Do(func() { close(s.serving) })
}

// notServing tells health checks, for good, that the server stops.
func (s *Server) notServing() {
	s.beginStop.Do(func() { close(s.stopping) })
	s.health.Shutdown()
}

// live says whether the process is to be left alone.
func (s *Server) live() error {
	select {
	case <-s.store.Failed():
		return errStore
	default:
		return nil
	}
}

// ready says whether to send the server clients.
func (s *Server) ready() error {
	select {
	case <-s.serving:
	default:
		return errNotServing
	}
	select {
	case <-s.stopping:
		return errStopping
	default:
		return s.live()
	}
}

// register adds the services.
func (s *Server) register() {
	publisher := &publisherService{
		broker: s.broker, limits: newPublishLimits(s.config.MaxMessageBytes), loops: &s.loops, metrics: s.metrics,
	}
	s.grpc.RegisterService(strict(publisherDesc()), publisher)
	s.grpc.RegisterService(strict(headracev1.SubscriberService_ServiceDesc),
		&subscriberService{broker: s.broker, loops: &s.loops, metrics: s.metrics})
	s.grpc.RegisterService(strict(headracev1.TopicService_ServiceDesc), &topicService{broker: s.broker})
	s.grpc.RegisterService(strict(headracev1.SubscriptionService_ServiceDesc), &subscriptionService{broker: s.broker})
	healthv1.RegisterHealthServer(s.grpc, s.health)
	reflection.Register(s.grpc)
}

// options are the limits of the transport, most of which gRPC leaves open, and the
// interceptors.
func (s *Server) options() []grpc.ServerOption {
	c, pool, e := s.config, wire.NewPool(), edge{logger: s.config.Logger}
	options := []grpc.ServerOption{
		grpc.ForceServerCodecV2(wire.NewCodec(pool)),
		experimental.BufferPool(pool),
		grpc.ChainUnaryInterceptor(e.unaryInterceptors(s.metrics.calls)...),
		grpc.ChainStreamInterceptor(e.streamInterceptors(s.metrics.calls)...),
		grpc.MaxRecvMsgSize(max(minReceiveBytes, c.MaxMessageBytes) + frameHeadroomBytes),
		grpc.MaxConcurrentStreams(c.MaxStreams),
		grpc.MaxHeaderListSize(c.MaxHeaderBytes),
		grpc.ConnectionTimeout(c.HandshakeTimeout),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: c.KeepaliveInterval, Timeout: c.KeepaliveTimeout}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: c.MinPingInterval, PermitWithoutStream: true}),
		grpc.ReadBufferSize(c.ReadBufferBytes),
		grpc.WriteBufferSize(c.WriteBufferBytes),
		grpc.WaitForHandlers(true),
	}
	if c.StreamWindowBytes > 0 {
		options = append(options,
			grpc.InitialWindowSize(c.StreamWindowBytes), grpc.InitialConnWindowSize(c.ConnectionWindowBytes))
	}
	return options
}

package server

import (
	"errors"

	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// The reasons that probes give.
var (
	errNotServing = errors.New("not serving")
	errStopping   = errors.New("stopping")
	errStore      = errors.New("the store failed")
)

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

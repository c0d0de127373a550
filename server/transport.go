package server

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/experimental"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	// Clients may compress their frames; what comes out is counted.
	_ "google.golang.org/grpc/encoding/gzip"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/wire"
)

const (
	// frameHeadroomBytes is what a frame may have beside its messages.
	frameHeadroomBytes = 256 << 10
	// minReceiveBytes is what a frame may always have.
	minReceiveBytes = 4 << 20
)

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
	s.grpc.RegisterService(strict(headracev1.AdminService_ServiceDesc),
		&adminService{backup: s.config.Backup, loops: &s.loops, stopping: s.stopping})
	if s.faults != nil {
		s.grpc.RegisterService(strict(headracev1.TestControlService_ServiceDesc), &testControlService{
			broker: s.broker, faults: s.faults, advanceWall: s.config.TestControl.AdvanceWall, services: s.grpc.GetServiceInfo,
		})
	}
	healthv1.RegisterHealthServer(s.grpc, s.health)
	reflection.Register(s.grpc)
}

// options are the limits of the transport, most of which gRPC leaves open, and the
// interceptors.
func (s *Server) options() []grpc.ServerOption {
	c, pool, e := s.config, wire.NewPool(), edge{logger: s.config.Logger, faults: s.faults}
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

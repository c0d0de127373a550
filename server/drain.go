package server

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// stopTimeout bounds how long an orderly stop waits for calls that do not end by
	// themselves, once the broker has drained; hurryTimeout, how long Stop does, so
	// that clients are told why.
	stopTimeout  = 3 * time.Second
	hurryTimeout = 250 * time.Millisecond
)

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
	if s.store.Err() != nil {
		return s.storeFailed()
	}
	s.config.Logger.Info("stopped")
	return nil
}

// fail ends a server whose store can no longer vouch for what it stored. The broker
// tells its streams so.
func (s *Server) fail() error {
	s.notServing()
	s.stopCalls(stopTimeout)
	s.Stop()
	return s.storeFailed()
}

// storeFailed says so in the last line of the log.
func (s *Server) storeFailed() error {
	err := s.store.Err()
	s.config.Logger.Error("the store failed; the server has stopped and must be started again", "error", err)
	return fmt.Errorf("%w: %w", errStore, err)
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

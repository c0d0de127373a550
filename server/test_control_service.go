package server

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

const (
	// maxAdvance bounds how far one call moves the clock.
	maxAdvance = 30 * 24 * time.Hour
	// maxInjectedDelay bounds how late a test may have a call be.
	maxInjectedDelay = time.Hour
)

// TestControl is what a server for tests lets its clients do to it.
type TestControl struct {
	// AdvanceWall moves the wall clock of the broker and of the store forward. Required.
	AdvanceWall func(time.Duration)
}

// testControlService lets tests move the clock and have calls fail.
type testControlService struct {
	headracev1.UnimplementedTestControlServiceServer

	broker      *broker.Broker
	faults      *injectedFaults
	advanceWall func(time.Duration)
	// services are those of the server, by their full names.
	services func() map[string]grpc.ServiceInfo

	// advancing is held while the clock moves; ahead is by how much it has.
	advancing sync.Mutex
	ahead     time.Duration
}

var _ headracev1.TestControlServiceServer = (*testControlService)(nil)

// AdvanceClock moves the clock forward.
func (s *testControlService) AdvanceClock(
	ctx context.Context, r *headracev1.AdvanceClockRequest,
) (*headracev1.AdvanceClockResponse, error) {
	by, err := boundedTime("by", r.GetBy(), maxAdvance)
	if err != nil {
		return nil, err
	}
	s.advancing.Lock()
	defer s.advancing.Unlock()
	err = s.broker.Advance(ctx, by, func(step time.Duration) {
		s.advanceWall(step)
		s.ahead += step
	})
	if err != nil {
		return nil, err
	}
	return &headracev1.AdvanceClockResponse{Ahead: durationpb.New(s.ahead)}, nil
}

// InjectFault lets calls be late or fail.
func (s *testControlService) InjectFault(
	_ context.Context, r *headracev1.InjectFaultRequest,
) (*headracev1.InjectFaultResponse, error) {
	fault := &injectedFault{method: r.GetMethod(), left: r.GetTimes(), endless: r.GetTimes() == 0}
	err := s.checkMethod(r.GetMethod())
	if err == nil {
		err = fault.set(r)
	}
	if err != nil {
		return nil, err
	}
	s.faults.inject(fault)
	return &headracev1.InjectFaultResponse{}, nil
}

// set sets what a fault does.
func (f *injectedFault) set(r *headracev1.InjectFaultRequest) (err error) {
	switch {
	case r.GetRefusal() != nil:
		f.refusal, err = refusalFor(r.GetRefusal().GetReason())
	case r.GetDelay() != nil:
		f.delay, err = boundedTime("delay.by", r.GetDelay().GetBy(), maxInjectedDelay)
		f.eachFrame = r.GetDelay().GetEachFrame()
	default:
		err = invalidField("fault", "refusal or delay")
	}
	return err
}

// refusalFor is the refusal for a reason that ends calls.
func refusalFor(reason headracev1.ErrorReason) (*refusal, error) {
	v, ends := verdicts[reason]
	if !ends {
		return nil, invalidField("refusal.reason", "a reason that ends calls")
	}
	return &refusal{reason: reason, text: v.text}, nil
}

// ClearFaults takes every fault back.
func (s *testControlService) ClearFaults(
	context.Context, *headracev1.ClearFaultsRequest,
) (*headracev1.ClearFaultsResponse, error) {
	s.faults.clear()
	return &headracev1.ClearFaultsResponse{}, nil
}

// DropStreams breaks open streams.
func (s *testControlService) DropStreams(
	ctx context.Context, r *headracev1.DropStreamsRequest,
) (*headracev1.DropStreamsResponse, error) {
	if err := s.checkMethod(r.GetMethod()); err != nil {
		return nil, err
	}
	streams, err := s.faults.drop(ctx, r.GetMethod())
	if err != nil {
		return nil, err
	}
	return &headracev1.DropStreamsResponse{Streams: uint32(min(streams, math.MaxUint32))}, nil
}

// checkMethod refuses a method that no call can have: a fault for it would be one that
// nobody meets.
func (s *testControlService) checkMethod(method string) error {
	if method == "" {
		return nil
	}
	service, name, ofMethod := strings.Cut(method, "/")
	for full, info := range s.services() {
		if !strings.HasSuffix(full, ".v1."+service) || isSpared("/"+full+"/") {
			continue
		}
		if !ofMethod {
			return nil
		}
		for _, m := range info.Methods {
			if m.Name == name {
				return nil
			}
		}
	}
	return invalidField("method", "one of the server's, like PublisherService/Publish, or empty")
}

// boundedTime is a time of a request that is more than 0 and at most most.
func boundedTime(field string, d *durationpb.Duration, most time.Duration) (time.Duration, error) {
	if d == nil || d.CheckValid() != nil || d.AsDuration() <= 0 || d.AsDuration() > most {
		return 0, invalidField(field, fmt.Sprintf("more than 0, at most %v", most))
	}
	return d.AsDuration(), nil
}

package server

import (
	"context"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// sparedServices are never late and never fail: a test must be able to take its faults
// back, and to see that the server is there.
var sparedServices = []string{
	headracev1.TestControlService_ServiceDesc.ServiceName, "grpc.health.v1.Health",
}

// errStreamDropped is how a stream ends that a test broke. As with a connection that
// broke, the client gets no reason.
var errStreamDropped = status.Error(codes.Unavailable, "the stream was dropped by a test")

// injectedFaults are what a test has calls suffer, and the streams that it may break. A
// nil one injects nothing.
type injectedFaults struct {
	mu     sync.Mutex
	faults []*injectedFault
	open   map[*faultyStream]struct{}
}

// injectedFault is one fault. left is how many times it is still to be met; not counted
// when endless.
type injectedFault struct {
	method  string
	left    uint32
	endless bool
	// refusal ends the call; when nil, the call, or each frame, is late by delay.
	refusal   *refusal
	delay     time.Duration
	eachFrame bool
}

// inject adds a fault.
func (f *injectedFaults) inject(fault *injectedFault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, fault)
}

// clear takes every fault back.
func (f *injectedFaults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = nil
}

// meet says what a call, or a frame, has to suffer.
func (f *injectedFaults) meet(method string, frame bool) (delay time.Duration, refused *refusal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	kept := f.faults[:0]
	for _, fault := range f.faults {
		if refused == nil && fault.eachFrame == frame && isMethod(fault.method, method) {
			delay, refused = delay+fault.delay, fault.refusal
			fault.left-- // of an endless one nobody looks at it
		}
		if fault.endless || fault.left > 0 {
			kept = append(kept, fault)
		}
	}
	clear(f.faults[len(kept):])
	f.faults = kept
	return delay, refused
}

// suffer waits for as long as the faults of a call or frame say, and refuses it.
func (f *injectedFaults) suffer(ctx context.Context, method string, frame bool) error {
	delay, refused := f.meet(method, frame)
	if err := linger(ctx, delay); err != nil {
		return err
	}
	if refused != nil {
		return refused
	}
	return nil
}

// linger waits, unless ctx ends before.
func linger(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// isMethod says whether a fault's method, as a test wrote it, is that of a call:
// "/headrace.v1.PublisherService/Publish".
func isMethod(wanted, full string) bool {
	_, name, _ := strings.Cut(full, ".v1.")
	service, _, _ := strings.Cut(name, "/")
	return wanted == "" || wanted == name || wanted == service
}

// isSpared says whether a call is of a service that no fault touches.
func isSpared(full string) bool {
	for _, service := range sparedServices {
		if strings.HasPrefix(full, "/"+service+"/") {
			return true
		}
	}
	return false
}

func (f *injectedFaults) unary(
	ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler,
) (any, error) {
	if isSpared(info.FullMethod) {
		return handler(ctx, request)
	}
	if err := f.suffer(ctx, info.FullMethod, false); err != nil {
		return nil, err
	}
	return handler(ctx, request)
}

func (f *injectedFaults) stream(service any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if isSpared(info.FullMethod) {
		return handler(service, stream)
	}
	s := f.enter(stream, info.FullMethod)
	defer f.leave(s)
	err := f.suffer(s.ctx, info.FullMethod, false)
	if err == nil {
		err = handler(service, s)
	}
	if context.Cause(s.ctx) == errStreamDropped { //nolint:errorlint // it is the very value
		return errStreamDropped
	}
	return err
}

// faultyStream is a stream that a test may break, and whose frames it may delay.
type faultyStream struct {
	grpc.ServerStream

	ctx    context.Context //nolint:containedctx // a stream has one
	drop   context.CancelCauseFunc
	faults *injectedFaults
	method string
	// over is closed when the handler has returned.
	over chan struct{}
}

// Context ends when the stream ends, or is dropped.
func (s *faultyStream) Context() context.Context { return s.ctx }

// SendMsg sends a frame, as late as a test wants it.
func (s *faultyStream) SendMsg(frame any) error {
	if err := s.faults.suffer(s.ctx, s.method, true); err != nil {
		return err
	}
	return s.ServerStream.SendMsg(frame)
}

func (f *injectedFaults) enter(stream grpc.ServerStream, method string) *faultyStream {
	ctx, drop := context.WithCancelCause(stream.Context())
	s := &faultyStream{
		ServerStream: stream, ctx: ctx, drop: drop, faults: f, method: method, over: make(chan struct{}),
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		f.open = map[*faultyStream]struct{}{}
	}
	f.open[s] = struct{}{}
	return s
}

func (f *injectedFaults) leave(s *faultyStream) {
	s.drop(nil)
	f.mu.Lock()
	delete(f.open, s)
	f.mu.Unlock()
	close(s.over)
}

// drop breaks the open streams of a method, and waits until they are over or ctx ends.
func (f *injectedFaults) drop(ctx context.Context, method string) (streams int, err error) {
	dropped := f.matching(method)
	for _, s := range dropped {
		s.drop(errStreamDropped)
	}
	for _, s := range dropped {
		select {
		case <-s.over:
		case <-ctx.Done():
			return len(dropped), ctx.Err()
		}
	}
	return len(dropped), nil
}

func (f *injectedFaults) matching(method string) (streams []*faultyStream) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.open {
		if isMethod(method, s.method) {
			streams = append(streams, s)
		}
	}
	return streams
}

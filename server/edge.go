package server

import (
	"context"
	"log/slog"

	grpcprom "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/logging"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/recovery"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/headrace/headrace/server/wire"
)

// edge is where errors leave the server: each is translated once, here, and
// logged whole when it is an operator's business.
type edge struct {
	logger *slog.Logger
	// faults are those that tests inject; nil without.
	faults *injectedFaults
}

func (e edge) unary(
	ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler,
) (any, error) {
	response, err := handler(ctx, request)
	if err != nil {
		return nil, e.translate(ctx, info.FullMethod, err)
	}
	return response, nil
}

func (e edge) stream(service any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if err := handler(service, stream); err != nil {
		return e.translate(stream.Context(), info.FullMethod, err)
	}
	return nil
}

func (e edge) translate(ctx context.Context, method string, err error) error {
	st, loud := statusOf(err)
	if loud {
		e.logger.ErrorContext(ctx, "call failed", "method", method, "code", st.Code().String(), "error", err)
	}
	return st.Err()
}

// unaryInterceptors wrap each call, the first one outermost: measure, log,
// translate errors, inject faults, catch panics.
func (e edge) unaryInterceptors(calls *grpcprom.ServerMetrics) []grpc.UnaryServerInterceptor {
	interceptors := []grpc.UnaryServerInterceptor{
		calls.UnaryServerInterceptor(),
		logging.UnaryServerInterceptor(callLogger(e.logger), callLogOptions()...),
		e.unary,
	}
	if e.faults != nil {
		interceptors = append(interceptors, e.faults.unary)
	}
	return append(interceptors, recovery.UnaryServerInterceptor())
}

// streamInterceptors wrap each stream as unaryInterceptors do each call. They run
// once a stream; panics of a stream's loops are caught in loops.
func (e edge) streamInterceptors(calls *grpcprom.ServerMetrics) []grpc.StreamServerInterceptor {
	interceptors := []grpc.StreamServerInterceptor{
		calls.StreamServerInterceptor(),
		logging.StreamServerInterceptor(callLogger(e.logger), callLogOptions()...),
		e.stream,
	}
	if e.faults != nil {
		interceptors = append(interceptors, e.faults.stream)
	}
	return append(interceptors, recovery.StreamServerInterceptor())
}

// callLogger hands the middleware's lines to slog; the levels have the same
// numbers.
func callLogger(logger *slog.Logger) logging.Logger {
	return logging.LoggerFunc(func(ctx context.Context, level logging.Level, message string, fields ...any) {
		logger.Log(ctx, slog.Level(level), message, fields...)
	})
}

// callLogOptions log the end of calls, never what is in them.
func callLogOptions() []logging.Option {
	return []logging.Option{
		logging.WithLogOnEvents(logging.FinishCall),
		logging.WithLevels(callLevel),
	}
}

// callLevel is how loud the end of a call is. What is an operator's business was
// logged whole when it was translated.
func callLevel(code codes.Code) logging.Level {
	switch code {
	case codes.OK, codes.Canceled, codes.NotFound, codes.AlreadyExists:
		return logging.LevelDebug
	default:
		return logging.LevelInfo
	}
}

// strict gives a service's description with its unary requests checked: gRPC would
// call a malformed one INTERNAL.
func strict(desc grpc.ServiceDesc) *grpc.ServiceDesc {
	methods := make([]grpc.MethodDesc, len(desc.Methods))
	for i, m := range desc.Methods {
		methods[i] = grpc.MethodDesc{MethodName: m.MethodName, Handler: strictHandler(m.Handler)}
	}
	desc.Methods = methods
	return &desc
}

func strictHandler(handle grpc.MethodHandler) grpc.MethodHandler {
	return func(service any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
		return handle(service, ctx, strictDecoder(decode), intercept)
	}
}

// strictDecoder decodes a request and gives its fault as a status of ours.
func strictDecoder(decode func(any) error) func(any) error {
	return func(request any) error {
		message, ok := request.(proto.Message)
		if !ok {
			return decode(request)
		}
		in := wire.Inbound{Frame: message}
		if err := decode(&in); err != nil {
			return err
		}
		if in.Fault != nil {
			st, _ := statusOf(in.Fault)
			return st.Err()
		}
		return nil
	}
}

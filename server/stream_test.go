package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var errEnd = errors.New("the end")

func TestAStreamEndsWithTheFirstOfItsLoops(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	stuck := func() error { <-never; return nil }
	ended := make(chan struct{})
	close(ended)
	for name, s := range map[string]streamLoops{
		"the send loop ends":             {receive: stuck, send: func() error { return errEnd }},
		"the receive loop ends":          {receive: func() error { return errEnd }, send: stuck},
		"half-closed, then sent":         {receive: func() error { return nil }, send: func() error { return errEnd }},
		"ended while a write is stuck":   {receive: stuck, send: stuck, ended: ended, cause: func() error { return errEnd }},
		"ended while a write still ends": {receive: stuck, send: func() error { return errEnd }, ended: ended, cause: func() error { return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			var l loops
			if err := l.run(s); !errors.Is(err, errEnd) && name != "ended while a write still ends" {
				t.Fatalf("run returned %v", err)
			}
		})
	}
}

func TestAfterComesWhenBothLoopsHaveEnded(t *testing.T) {
	var l loops
	release, receiving := make(chan struct{}), false
	err := l.run(streamLoops{
		receive: func() error { <-release; receiving = false; return nil },
		send:    func() error { return errEnd },
		after: func() {
			if receiving {
				t.Error("the receive loop still ran")
			}
		},
	})
	receiving = true
	close(release)
	l.wait()
	if !errors.Is(err, errEnd) {
		t.Fatalf("run returned %v", err)
	}
}

func TestAPanicOfALoopEndsItsStreamAlone(t *testing.T) {
	var l loops
	err := l.run(streamLoops{receive: func() error { panic("oops") }, send: func() error { return nil }})
	if err != nil && !errors.Is(err, errPanic) {
		t.Fatalf("run returned %v", err)
	}
	err = l.run(streamLoops{receive: func() error { return nil }, send: func() error { panic("oops") }})
	if !errors.Is(err, errPanic) || !strings.Contains(err.Error(), "oops") {
		t.Fatalf("run returned %v", err)
	}
	l.wait()
}

func TestTheEdgeHidesAndLogsWhatIsInternal(t *testing.T) {
	var log bytes.Buffer
	e := edge{logger: slog.New(slog.NewTextHandler(&log, nil))}
	_, err := e.unary(t.Context(), nil, &grpc.UnaryServerInfo{FullMethod: "/m"}, func(context.Context, any) (any, error) {
		return nil, errors.New("secret")
	})
	if status.Code(err) != codes.Internal || strings.Contains(err.Error(), "secret") {
		t.Fatalf("the client sees %v", err)
	}
	if !strings.Contains(log.String(), "secret") || !strings.Contains(log.String(), "/m") {
		t.Fatalf("the log has %q", log.String())
	}
}

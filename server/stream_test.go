package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

var errEnd = errors.New("the end")

func TestAStreamEndsWithTheFirstOfItsLoops(t *testing.T) {
	for name, loopsOf := range map[string]func(stuck func() error) streamLoops{
		"the send loop ends": func(stuck func() error) streamLoops {
			return streamLoops{receive: stuck, send: fails}
		},
		"the receive loop ends": func(stuck func() error) streamLoops {
			return streamLoops{receive: fails, send: stuck}
		},
		"half-closed, then sent": func(func() error) streamLoops {
			return streamLoops{receive: func() error { return nil }, send: fails}
		},
		"ended while a write is stuck": func(stuck func() error) streamLoops {
			return streamLoops{receive: stuck, send: stuck, ended: closed(), cause: fails}
		},
		"ended while a write still goes on": func(stuck func() error) streamLoops {
			slow := func() error {
				time.Sleep(sendPatience / 2) //nolint:forbidigo // in a synctest bubble: a write that takes its time
				return errEnd
			}
			return streamLoops{receive: stuck, send: slow, ended: closed(), cause: stuck}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				never := make(chan struct{})
				var l loops
				err := l.run(loopsOf(func() error { <-never; return nil }))
				if !errors.Is(err, errEnd) {
					t.Errorf("run returned %v", err)
				}
				close(never)
				l.wait()
			})
		})
	}
}

func fails() error { return errEnd }

func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
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

func TestHowTheEndOfAStreamIsCharged(t *testing.T) {
	for err, want := range map[error]broker.CloseHow{
		io.EOF:                                 broker.CloseClean,
		status.Error(codes.Canceled, "gone"):   broker.CloseBroken,
		frameOrder("wrong"):                    broker.CloseBroken,
		fmt.Errorf("%w: %s", errPanic, "oops"): broker.CloseGone,
	} {
		if got := closeHow(err); got != want {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}

func TestAPageIsCutUntilItFits(t *testing.T) {
	// list gives a page of labels of 1 MiB each.
	list := func(r broker.ListRequest) (*headracev1.ListTopicsResponse, error) {
		page := &headracev1.ListTopicsResponse{}
		for range r.PageSize {
			page.Topics = append(page.Topics, &headracev1.Topic{Name: strings.Repeat("x", 1<<20)})
		}
		return page, nil
	}
	for asked, want := range map[int]int{2: 2, 3: 3, 8: 2, 100: 3} {
		page, err := fitPage(broker.ListRequest{PageSize: asked}, list)
		if err != nil || len(page.GetTopics()) != want {
			t.Errorf("page of %d: %d topics, %v; want %d", asked, len(page.GetTopics()), err, want)
		}
	}
	page, err := fitPage(broker.ListRequest{}, func(r broker.ListRequest) (*headracev1.ListTopicsResponse, error) {
		if r.PageSize == 0 {
			r.PageSize = broker.DefaultPageSize
		}
		return list(r)
	})
	if err != nil || !fits(page) {
		t.Errorf("the default page: %d topics, %v", len(page.GetTopics()), err)
	}
}

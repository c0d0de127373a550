package headrace_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/server/servertest"
)

// exampleTest lets an example, which has no test, start the server for tests.
type exampleTest struct {
	testing.TB

	cleanups []func()
}

func (*exampleTest) Helper()                           {}
func (*exampleTest) Context() context.Context          { return context.Background() }
func (*exampleTest) Output() io.Writer                 { return io.Discard }
func (*exampleTest) Logf(string, ...any)               {}
func (*exampleTest) Failed() bool                      { return false }
func (*exampleTest) Errorf(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }
func (*exampleTest) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (e *exampleTest) Cleanup(f func())                { e.cleanups = append(e.cleanups, f) }

func (e *exampleTest) end() {
	for len(e.cleanups) > 0 {
		last := len(e.cleanups) - 1
		f := e.cleanups[last]
		e.cleanups = e.cleanups[:last]
		f()
	}
}

// startServer starts a server that has the topic "orders" with the subscription
// "billing", and makes it the one that Dial reaches by any address. stop stops
// it.
func startServer() (inMemory headrace.DialOption, stop func()) {
	t := &exampleTest{}
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("billing", "orders")
	return headrace.WithDialer(s.DialContext), t.end
}

// startTopic is startServer with messages in the topic.
func startTopic(texts ...string) (inMemory headrace.DialOption, stop func()) {
	t := &exampleTest{}
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("billing", "orders")
	for _, text := range texts {
		s.Publish("orders", &headracev1.Message{Data: []byte(text)})
	}
	return headrace.WithDialer(s.DialContext), t.end
}

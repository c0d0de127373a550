package main_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/headrace/headrace/sdk/go"
)

// signalInterval is how often the second signal is repeated: the first may still
// be on its way.
const signalInterval = 50 * time.Millisecond

// hold starts a server and receives a message without settling it. goAway is
// closed when the server asks the client to go.
func hold(t *testing.T, dir string) (stop func(), terminated <-chan struct{}, terminate func(), goAway <-chan struct{}) {
	t.Helper()
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "held")

	asked := make(chan struct{})
	receiver, err := headrace.Dial(t.Context(), process.Address, headrace.WithEvents(func(e headrace.Event) {
		if e.Kind == headrace.GoAwayReceived {
			close(asked)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	held, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_ = receiver.Subscription("billing").Receive(ctx, func(ctx context.Context, _ *headrace.Delivery) error {
			close(held)
			<-ctx.Done()
			return headrace.ErrRelease
		}, headrace.WithReleaseOnStop())
	}()
	<-held
	return func() { cancel(); <-done; _ = receiver.Close() }, process.Exited(), process.Terminate, asked
}

// TestSecondSignalEndsTheServerAtOnce: the first one waits for what clients hold.
func TestSecondSignalEndsTheServerAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	stop, exited, terminate, goAway := hold(t, dir)
	defer stop()
	terminate()
	<-goAway
	tick := time.NewTicker(signalInterval)
	defer tick.Stop()
	for ended := false; !ended; {
		select {
		case <-exited:
			ended = true
		case <-tick.C:
			terminate()
		}
	}
	// What it took is there all the same.
	c := client{t, serve(t, dir).Address}
	if got := c.ok("tail", "--sub", "billing", "-n", "1"); got != "0-0  held\n" {
		t.Errorf("%q", got)
	}
}

// TestStopWaitsForWhatClientsHold: and ends well once they have let go, with
// nothing charged.
func TestStopWaitsForWhatClientsHold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	stop, exited, terminate, goAway := hold(t, dir)
	terminate()
	<-goAway
	select {
	case <-exited:
		t.Error("it did not wait")
	default:
	}
	stop()
	<-exited
	c := client{t, serve(t, dir).Address}
	if info := c.object("sub", "info", "billing"); info["backlog_messages"] != 1.0 || info["expired"] != 0.0 {
		t.Errorf("%v", info)
	}
}

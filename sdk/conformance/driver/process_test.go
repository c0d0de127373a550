package driver

import (
	"bytes"
	"io"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// playVariable makes this test binary play a driver.
const playVariable = "CONFORMANCE_TEST_DRIVER"

func TestMain(m *testing.M) {
	if os.Getenv(playVariable) != "" {
		// A driver that says back what it is told, and something that is no event.
		_, _ = io.WriteString(os.Stdout, `{"event":"ready","language":"none"}`+"\nnonsense\n")
		_, _ = io.Copy(os.Stdout, os.Stdin)
		_, _ = io.WriteString(os.Stderr, "bye")
		return
	}
	goleak.VerifyTestMain(m)
}

// TestADriverIsToldAndTells until its input ends.
func TestADriverIsToldAndTells(t *testing.T) {
	t.Setenv(playVariable, "yes")
	var events []Event
	var log bytes.Buffer
	p, err := Start([]string{os.Args[0]}, func(e Event) { events = append(events, e) }, &log)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Tell(Command{Do: "connect", Client: "c"}); err != nil {
		t.Fatal(err)
	}
	p.End()
	p.End()
	<-p.Exited()
	if p.Tell(Command{}) == nil {
		t.Error("a driver that has ended is told something")
	}
	if len(events) != 3 || events[0].Language != "none" || events[1].Event != "failed" || events[2].Client != "c" {
		t.Errorf("%+v", events)
	}
	if log.String() != "bye" {
		t.Errorf("it said %q", log.String())
	}
	p.Kill() // It is gone: nothing happens.
}

func TestADriverThatIsNotThere(t *testing.T) {
	if _, err := Start([]string{"/absent"}, func(Event) {}, io.Discard); err == nil {
		t.Error("it started")
	}
}

// TestAKilledDriverIsGone when Kill returns.
func TestAKilledDriverIsGone(t *testing.T) {
	t.Setenv(playVariable, "yes")
	ready := make(chan struct{}, 10) // more events than there are
	p, err := Start([]string{os.Args[0]}, func(Event) { ready <- struct{}{} }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	<-ready
	p.Kill()
	select {
	case <-p.Exited():
	default:
		t.Error("it lives")
	}
	p.End()
}

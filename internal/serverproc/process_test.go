package serverproc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// playVariable makes this test binary play a server, in the way of its value.
const playVariable = "SERVERPROC_TEST_PLAY"

func TestMain(m *testing.M) {
	if way := os.Getenv(playVariable); way != "" {
		play(way)
		return
	}
	goleak.VerifyTestMain(m)
}

// play behaves as a server does, or should not.
func play(way string) {
	stop := make(chan os.Signal, 1) // the one signal waited for
	signal.Notify(stop, syscall.SIGTERM)
	switch way {
	case "exits":
		fmt.Fprintln(os.Stderr, "no luck")
		os.Exit(1)
	case "babbles":
		fmt.Fprintln(os.Stdout, "hello")
	case "serves":
		fmt.Fprintf(os.Stdout, "{\"address\":\"%s\",\"ops_address\":\"b:2\"}\n", strings.Join(os.Args[1:], " "))
	}
	<-stop
	if way == "serves" {
		os.Exit(0)
	}
	os.Exit(3)
}

func options(way string) Options {
	return Options{Binary: os.Args[0], Dir: "d", Args: []string{"--extra"}, Env: append(os.Environ(), playVariable+"="+way)}
}

func TestStartLearnsWhereTheServerListens(t *testing.T) {
	p, err := Start(options("serves"))
	if err != nil {
		t.Fatal(err)
	}
	want := "serve -o jsonl --dir d --listen 127.0.0.1:0 --ops-listen off --extra"
	if p.Address != want || p.OpsAddress != "b:2" {
		t.Errorf("%+v", p.Endpoints)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if err := p.Stop(); err != nil {
		t.Errorf("a second stop: %v", err)
	}
	p.Kill()
}

func TestServerThatExitsIsSaid(t *testing.T) {
	o := options("exits")
	var log bytes.Buffer
	o.Log = &log
	if _, err := Start(o); !errors.Is(err, ErrExited) || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("%v", err)
	}
	if log.String() != "no luck\n" {
		t.Errorf("log %q", log.String())
	}
}

func TestServerThatBabblesIsKilled(t *testing.T) {
	if _, err := Start(options("babbles")); err == nil || !strings.Contains(err.Error(), "hello") {
		t.Errorf("%v", err)
	}
}

func TestBinaryThatIsNotThere(t *testing.T) {
	if _, err := Start(Options{Binary: "/absent"}); err == nil {
		t.Error("it started")
	}
}

func TestKillNeedsNobodyToListen(t *testing.T) {
	p, err := Launch(options("serves"))
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	<-p.Exited()
	if p.ExitCode() != -1 {
		t.Errorf("exit code %d", p.ExitCode())
	}
}

func TestStopTellsAnotherExitCode(t *testing.T) {
	p, err := Launch(options("waits"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err == nil {
		t.Error("it ended well")
	}
}

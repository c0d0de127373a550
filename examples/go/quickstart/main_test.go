package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestQuickstart runs the program against a server and compares what it prints.
func TestQuickstart(t *testing.T) {
	addr := startServer(t)
	out, err := exec.Command(build(t, "quickstart", "."), addr).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const want = `published 0-0 first
published 0-1 second
published 0-2 third
received 0-0 first
received 0-1 second
received 0-2 third
`
	if string(out) != want {
		t.Errorf("it prints\n%s", out)
	}
}

// startServer runs a server on a temporary directory until the test ends, and
// returns its address.
func startServer(t *testing.T) string {
	t.Helper()
	binary := build(t, "headrace", "github.com/headrace/headrace/cmd/headrace")
	server := exec.Command(binary, "dev", "--listen", "127.0.0.1:0", "--ops-listen", "off", "-o", "jsonl")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt) // it removes its directory
		_ = server.Wait()
	})
	var endpoints struct {
		Address string `json:"address"`
	}
	if err := json.NewDecoder(out).Decode(&endpoints); err != nil {
		t.Fatal(err)
	}
	return endpoints.Address
}

func build(t *testing.T, name, what string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("go", "build", "-o", path, what).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

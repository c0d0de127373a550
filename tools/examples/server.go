package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// server is the one server that all examples talk to.
type server struct {
	address string
	command *exec.Cmd
}

// startServer builds a server and runs it on a temporary directory and a free port.
func startServer(ctx context.Context, root, work string) (*server, error) {
	binary := filepath.Join(work, "headrace")
	if _, err := output(ctx, root, "go", "build", "-o", binary, "./cmd/headrace"); err != nil {
		return nil, err
	}
	//nolint:noctx // It is ended by stop.
	s := &server{command: exec.Command(binary, "dev", "--listen", "127.0.0.1:0", "--ops-listen", "off", "-o", "jsonl")}
	s.command.Env = append(os.Environ(), "TMPDIR="+work)
	// A group of its own: Ctrl-C reaches the examples first, and the server last.
	s.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	var endpoints struct {
		Address string `json:"address"`
	}
	if err := json.NewDecoder(out).Decode(&endpoints); err != nil {
		_ = s.stop()
		return nil, fmt.Errorf("the server did not come up: %w", err)
	}
	s.address = endpoints.Address
	return s, nil
}

// stop asks the server to finish, and waits for its end.
func (s *server) stop() error {
	_ = s.command.Process.Signal(os.Interrupt)
	if err := s.command.Wait(); err != nil {
		return fmt.Errorf("the server: %w", err)
	}
	return nil
}

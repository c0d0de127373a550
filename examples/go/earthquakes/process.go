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

// process is a program that the demo started. What it prints and logs goes to
// files in the demo's directory.
type process struct {
	name    string
	command *exec.Cmd
	// exited gets how it ended: one error.
	exited chan error
}

// startProcess runs a program. Its output goes to out, which is closed here, or
// to NAME.out when out is nil; its log goes to NAME.log.
func startProcess(dir, name string, out *os.File, path string, args ...string) (*process, error) {
	log, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if out == nil {
		if out, err = os.Create(filepath.Join(dir, name+".out")); err != nil {
			return nil, err
		}
	}
	defer out.Close()
	//nolint:noctx // It is stopped by name, in its turn: see stop and kill.
	p := &process{name: name, command: exec.Command(path, args...), exited: make(chan error, 1)}
	p.command.Stdout, p.command.Stderr = out, log
	// A group of its own: Ctrl-C reaches the demo alone, which stops the others
	// in their order.
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() { p.exited <- p.command.Wait() }()
	return p, nil
}

// stop asks the process to finish, and waits for its end.
func (p *process) stop() error {
	_ = p.command.Process.Signal(syscall.SIGTERM)
	return p.await()
}

// kill ends the process on the spot, as a crash would.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	_ = p.await()
}

func (p *process) await() error {
	if err := <-p.exited; err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}

// buildServer compiles the server from this repository.
func buildServer(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "headrace")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/headrace/headrace/cmd/headrace")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the server: %w\n%s", err, out)
	}
	return path, nil
}

// startServer runs a server on a free port and returns it with its address,
// which is what it prints once it serves.
func startServer(dir, binary string) (*process, string, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	defer read.Close()
	server, err := startProcess(dir, "server", write, binary,
		"serve", "--dir", filepath.Join(dir, "data"), "--listen", "127.0.0.1:0", "--ops-listen", "off", "--output", "jsonl")
	if err != nil {
		return nil, "", err
	}
	var endpoints struct {
		Address string `json:"address"`
	}
	if err := json.NewDecoder(read).Decode(&endpoints); err != nil {
		server.kill()
		return nil, "", fmt.Errorf("the server did not come up: see %s", filepath.Join(dir, "server.log"))
	}
	return server, endpoints.Address, nil
}

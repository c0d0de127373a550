package shardload

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
)

// inspectVariable is, in the environment of a child that is an inspector, the
// directory of the store.
const inspectVariable = "HEADRACE_SHARDLOAD_INSPECT"

// verdict is what an inspector says on its standard output.
type verdict struct {
	Found *Found
	// Refused is why there is none.
	Refused string
}

// IsInspector says whether this process was started as an inspector.
func IsInspector() bool { return os.Getenv(inspectVariable) != "" }

// PlayInspector is the life of an inspector, and gives the code to exit with.
func PlayInspector() int {
	var v verdict
	var err error
	v.Found, err = Inspect(context.Background(), os.Getenv(inspectVariable), slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		v = verdict{Refused: err.Error()}
	}
	if err := gob.NewEncoder(os.Stdout).Encode(v); err != nil {
		fmt.Fprintln(os.Stderr, "inspector:", err)
		return 1
	}
	return 0
}

// InspectApart is Inspect in a child process, which has ended when it returns. The
// binary's main calls PlayInspector when IsInspector.
//
// A Badger that fails to open, as one does that finds a file half made, keeps what it
// mapped until its process ends, and nobody can unmount the file system before that.
func InspectApart(ctx context.Context, binary, dir string, log io.Writer) (*Found, error) {
	command := exec.CommandContext(ctx, binary)
	command.Env = append(os.Environ(), inspectVariable+"="+dir)
	command.Stderr = log
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("inspector: %w", err)
	}
	var v verdict
	if err := gob.NewDecoder(bytes.NewReader(out)).Decode(&v); err != nil { //nolint:gosec // our own child wrote it
		return nil, fmt.Errorf("inspector: %w", err)
	}
	if v.Found == nil {
		return nil, errors.New(v.Refused)
	}
	return v.Found, nil
}

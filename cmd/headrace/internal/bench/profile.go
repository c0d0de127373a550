package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/pprof"
)

// profiled measures, and writes the client's CPU profile if one is wanted.
func (l *load) profiled(ctx context.Context) (w window, err error) {
	if l.options.Profile == "" {
		return l.measure(ctx)
	}
	f, err := os.Create(filepath.Join(l.options.Profile, "client.pprof"))
	if err != nil {
		return window{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pprof.StartCPUProfile(f); err != nil {
		return window{}, err
	}
	defer pprof.StopCPUProfile()
	return l.measure(ctx)
}

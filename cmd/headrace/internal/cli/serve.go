package cli

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/pprof"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
	"github.com/headrace/headrace/cmd/headrace/internal/node"
	"github.com/headrace/headrace/cmd/headrace/internal/output"
)

// serveFlags are what `serve` takes beside the configuration.
type serveFlags struct {
	file       string
	cpuProfile string
}

func (a *App) serve() *cobra.Command {
	var flags serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run a server",
		Long: "Run a server until SIGTERM or Ctrl-C, which let clients finish; a second one\n" +
			"ends it at once. Once it serves, it prints where.\n\n" +
			"Each flag of the configuration is also a key of the YAML file (drain_timeout) and\n" +
			"a variable (HEADRACE_SERVER_DRAIN_TIMEOUT). A flag goes before the variable, that\n" +
			"before the file.",
	}
	config.DefineFlags(c.Flags())
	c.Flags().StringVar(&flags.file, "config", "", "read the configuration from this YAML file")
	c.Flags().StringVar(&flags.cpuProfile, "cpu-profile", "", "write a CPU profile of the whole run to this file")
	c.RunE = func(c *cobra.Command, _ []string) error {
		settings, err := config.Load(config.Sources{File: flags.file, Environ: a.Environ, Flags: c.Flags()})
		if err != nil {
			return usageError{err}
		}
		return profiled(flags.cpuProfile, func() error { return a.runNode(c.Context(), settings) })
	}
	return c
}

// runNode serves until it is told to stop.
func (a *App) runNode(parent context.Context, settings config.Server) error {
	ctx, stop := untilStopped(parent)
	defer stop()
	return node.Run(ctx, settings, a.logger(settings), func(e node.Endpoints) error {
		return output.One(a.printer(), e, endpointColumns)
	})
}

var endpointColumns = []output.Column[node.Endpoints]{
	{Head: "serving on", Cell: func(e node.Endpoints) string { return e.Address }},
	{Head: "operations on", Cell: func(e node.Endpoints) string { return cmp.Or(e.OpsAddress, "nothing") }},
}

// logger writes the server's log to standard error.
func (a *App) logger(settings config.Server) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(settings.LogLevel)) // checked by Validate
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: readableDuration}
	if settings.LogFormat == "text" || (settings.LogFormat == "auto" && a.Shows) {
		return slog.New(slog.NewTextHandler(a.Err, o))
	}
	return slog.New(slog.NewJSONHandler(a.Err, o))
}

// readableDuration writes durations as "25s" in every format: JSON's own way is a
// number of nanoseconds.
func readableDuration(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// profiled runs fn, under a CPU profile when path is not empty.
func profiled(path string, fn func() error) (err error) {
	if path == "" {
		return fn()
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return fn()
}

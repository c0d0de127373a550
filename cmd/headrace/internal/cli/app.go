package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
)

// App is what commands touch of the system.
type App struct {
	// Version is the build's version.
	Version string
	// In, Out and Err are the standard streams: input, data and talk.
	In       io.Reader
	Out, Err io.Writer
	// Environ lists variables as "NAME=value".
	Environ func() []string
	// Asks is true when a person can answer a question: input and talk are both
	// a terminal.
	Asks bool
	// Shows is true when talk goes to a terminal, where progress can be drawn.
	Shows bool

	format output.Format
	// addr and contextName are the flags that name the server, server is the one that
	// a command talks to.
	addr, contextName, server string
}

// System is an App on the process's own streams and environment.
func System(version string) *App {
	return &App{
		Version: version,
		In:      os.Stdin,
		Out:     os.Stdout,
		Err:     os.Stderr,
		Environ: os.Environ,
		Asks:    isTerminal(os.Stdin) && isTerminal(os.Stderr),
		Shows:   isTerminal(os.Stderr),
	}
}

// Main runs one command line and returns the exit code.
func Main(app *App, args []string) int {
	root := app.root()
	root.SetArgs(args)
	command, err := root.ExecuteC()
	if err == nil {
		return exitOK
	}
	code := exitCode(err)
	_, _ = fmt.Fprintf(app.Err, "headrace: %s\n", oneLine(app.explain(err)))
	if code == exitUsage {
		_, _ = fmt.Fprintf(app.Err, "see: %s --help\n", command.CommandPath())
	}
	return code
}

func (a *App) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "headrace",
		Short:         "A message service that pushes",
		Long:          "Headrace keeps messages durably and pushes them to subscribers as they grant credit.",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	a.format = output.Table
	root.PersistentFlags().VarP(&a.format, "output", "o", "how data is written")
	root.AddCommand(a.serve(), a.dev(), a.topic(), a.sub(), a.snapshot(), a.dlq(), a.pub(), a.tail(), a.pull(), a.settle(), a.peek(),
		a.lag(),
		a.doctor(), a.backup(), a.restore(), a.bench(), a.config(), a.context(), a.version())
	root.InitDefaultCompletionCmd()
	a.complete(root)
	refuseMisuse(root)
	return root
}

// printer writes the command's data.
func (a *App) printer() *output.Printer {
	return &output.Printer{Out: a.Out, Format: a.format}
}

// sayf writes one line of talk. There is nobody to tell when that fails.
func (a *App) sayf(format string, args ...any) {
	_, _ = fmt.Fprintf(a.Err, format+"\n", args...)
}

// untilStopped gives a context that ends with the first SIGINT or SIGTERM. The
// second one ends the process at once.
func untilStopped(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func isTerminal(f *os.File) bool {
	return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd())
}

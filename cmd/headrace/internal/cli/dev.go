package cli

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
)

// devHint says what to try with a server of `dev`.
const devHint = `A server on a temporary directory: everything in it is gone when you stop it (Ctrl-C).
Try, in another terminal:

  headrace topic create orders
  headrace sub create billing --topic orders
  headrace pub orders "first" "second"
  headrace tail --sub billing
  headrace lag
`

func (a *App) dev() *cobra.Command {
	settings := config.Default()
	settings.LogLevel = "warn"
	c := &cobra.Command{
		Use:   "dev",
		Short: "Run a server to try things with, on a temporary directory",
		Long:  "Run a server on a temporary directory that is removed when it stops.",
	}
	c.Flags().StringVar(&settings.Listen, "listen", settings.Listen, "where clients connect; port 0 takes a free one")
	c.Flags().StringVar(&settings.OpsListen, "ops-listen", settings.OpsListen, "where /metrics, /livez and /readyz answer; off: nowhere")
	c.Flags().StringVar(&settings.LogLevel, "log-level", settings.LogLevel, "the least level that is logged")
	c.RunE = func(c *cobra.Command, _ []string) error {
		dir, err := os.MkdirTemp("", "headrace-dev-")
		if err != nil {
			return err
		}
		settings.Dir = filepath.Join(dir, "data")
		if err := settings.Validate(); err != nil {
			return errors.Join(usageError{err}, os.RemoveAll(dir))
		}
		a.sayf("%s", devHint)
		if settings.Listen != config.Default().Listen {
			a.sayf("with --addr and the address that follows, or HEADRACE_ADDR set to it.")
		}
		return errors.Join(a.runNode(c.Context(), settings), os.RemoveAll(dir))
	}
	return c
}

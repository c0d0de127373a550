package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// The exit codes, as docs/operations.md promises them to scripts.
const (
	exitOK       = 0
	exitFailure  = 1
	exitUsage    = 2
	exitWarning  = 3
	exitCritical = 4
)

// usageError says that the command line itself is wrong.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// checkError is the outcome of a check that did not pass.
type checkError struct {
	code int
	text string
}

func (e checkError) Error() string { return e.text }

func exitCode(err error) int {
	var usage usageError
	var check checkError
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &check):
		return check.code
	default:
		return exitFailure
	}
}

// refuseMisuse makes every wrong command line below root a usageError: wrong
// flags, wrong arguments, and a group's name without one of its commands.
func refuseMisuse(root *cobra.Command) {
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	visit(root, func(c *cobra.Command) {
		if c.Runnable() {
			c.Args = misuse(c.Args)
			return
		}
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command %q", c.CommandPath()+" "+args[0])
			}
			return usagef("%s needs a command", c.CommandPath())
		}
	})
}

func visit(c *cobra.Command, fn func(*cobra.Command)) {
	fn(c)
	for _, child := range c.Commands() {
		visit(child, fn)
	}
}

func misuse(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if check == nil {
			check = cobra.NoArgs
		}
		if err := check(c, args); err != nil {
			return usageError{err}
		}
		return nil
	}
}

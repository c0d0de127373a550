package cli

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// errNotConfirmed is returned when a person did not say yes.
var errNotConfirmed = errors.New("nothing was changed")

// consent holds the flags of a command that destroys something.
type consent struct {
	yes, dryRun bool
}

func (c *consent) addFlags(command *cobra.Command) {
	command.Flags().BoolVar(&c.yes, "yes", false, "do not ask")
	command.Flags().BoolVar(&c.dryRun, "dry-run", false, "say what would be done, and do nothing")
}

// obtain asks whether to go on. It asks only when a person can answer; a script
// says --yes.
func (c *consent) obtain(a *App, question string) error {
	switch {
	case c.yes:
		return nil
	case !a.Asks:
		return usagef("%s: say --yes to do it without being asked", question)
	}
	_, _ = fmt.Fprintf(a.Err, "%s? [y/N] ", question)
	answer, err := bufio.NewReader(a.In).ReadString('\n')
	if err != nil {
		return errNotConfirmed
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errNotConfirmed
}

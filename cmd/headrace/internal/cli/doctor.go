package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
	"github.com/headrace/headrace/cmd/headrace/internal/output"
	"github.com/headrace/headrace/cmd/headrace/internal/upkeep"
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/inspect"
)

func (a *App) doctor() *cobra.Command {
	var dir, scratch string
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look at a stopped store, and say what is wrong with it",
		Long: "Look at everything in the data directory of a stopped server, and say what is\n" +
			"wrong: topics, partitions, offsets, subscriptions and batches by name, and what\n" +
			"helps. Nothing in the directory is changed, and a store that does not open is\n" +
			"looked at too. All messages are read.\n\n" +
			"Exit code 3 when there are warnings, 4 when something is damaged or missing.",
	}
	addDataDir(c, &dir)
	c.Flags().StringVar(&scratch, "scratch", "",
		"where to put a copy of the logs to look at them, some hundred MiB at most (default: the system's temporary directory)")
	c.RunE = func(*cobra.Command, []string) error {
		e, err := upkeep.Examine(dir, scratch)
		if err != nil {
			return inUse(err)
		}
		if err := a.showExamination(e); err != nil {
			return err
		}
		return checkExamination(e)
	}
	return c
}

// addDataDir gives a command the flag that names a data directory.
func addDataDir(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "data-dir", config.Default().Dir, "the data directory of a stopped server")
}

// inUse says what to do when a server has the directory open.
func inUse(err error) error {
	if errors.Is(err, storage.ErrLocked) {
		return fmt.Errorf("%w: only a stopped store can be looked at like this", err)
	}
	return err
}

// showExamination writes the findings as a table, with a word about the rest as talk;
// in other formats everything is one object.
func (a *App) showExamination(e *upkeep.Examination) error {
	view := newExaminationView(e)
	if a.format != output.Table {
		return output.One(a.printer(), view, nil)
	}
	if len(view.Findings) > 0 {
		if err := output.List(a.printer(), view.Findings, findingColumns); err != nil {
			return err
		}
	}
	if view.MoreFindings > 0 {
		a.sayf("and %d more findings", view.MoreFindings)
	}
	if e.Readable {
		a.sayf("looked at %s topics, %s subscriptions, %s snapshots, %s, %s dead letters; the last batch is %d",
			output.Count(view.Topics), output.Count(view.Subscriptions), output.Count(view.Snapshots),
			amountText(view.Messages, view.Bytes), output.Count(view.DeadLetters), view.LastBatch)
	}
	return nil
}

// checkExamination makes the exit code of what was found.
func checkExamination(e *upkeep.Examination) error {
	switch e.Worst {
	case inspect.Damage:
		return checkError{exitCritical, "the store is damaged"}
	case inspect.Warning:
		return checkError{exitWarning, "there are warnings"}
	default:
		return nil
	}
}

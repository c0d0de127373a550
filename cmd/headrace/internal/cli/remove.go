package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	"github.com/headrace/headrace/sdk/go"
)

// removedView is one resource that was, or would be, removed.
type removedView struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Removed bool   `json:"removed"`
}

var removedColumns = []output.Column[removedView]{
	{Head: "KIND", Cell: func(v removedView) string { return v.Kind }},
	{Head: "NAME", Cell: func(v removedView) string { return v.Name }},
	{Head: "REMOVED", Cell: func(v removedView) string { return strconv.FormatBool(v.Removed) }},
}

// remover removes the resource with a name; on a dry run it only finds it.
type remover func(ctx context.Context, client *headrace.Client, name string, dryRun bool) error

// remove makes the `rm` command of a kind of resource; with says what goes along.
func (a *App) remove(kind, with string, do remover) *cobra.Command {
	var consent consent
	c := &cobra.Command{
		Use:     "rm NAME...",
		Aliases: []string{"remove"},
		Short:   "Remove a " + kind + " and " + with,
		Args:    cobra.MinimumNArgs(1),
	}
	consent.addFlags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if !consent.dryRun {
			if err := consent.obtain(a, fmt.Sprintf("remove %s %s and %s", kind, strings.Join(args, ", "), with)); err != nil {
				return err
			}
		}
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			removed, err := removeAll(args, kind, consent.dryRun, func(name string) error { return do(ctx, client, name, consent.dryRun) })
			if err != nil && len(removed) == 0 {
				return err
			}
			return errors.Join(err, output.List(a.printer(), removed, removedColumns))
		})
	}
	return c
}

// removeAll goes through the names in order and stops at the first that fails;
// it returns those that it did.
func removeAll(names []string, kind string, dryRun bool, do func(name string) error) ([]removedView, error) {
	var removed []removedView
	for _, name := range names {
		if err := do(name); err != nil {
			return removed, err
		}
		removed = append(removed, removedView{Kind: kind, Name: name, Removed: !dryRun})
	}
	return removed, nil
}

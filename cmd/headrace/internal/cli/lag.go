package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

func (a *App) lag() *cobra.Command {
	var limits lagLimits
	c := &cobra.Command{
		Use:   "lag [SUBSCRIPTION...]",
		Short: "Show how far subscriptions are behind, and why nothing comes",
		Long: "Show how far subscriptions are behind, and why nothing comes.\n\n" +
			"With limits it is a check: exit code 3 when a subscription is past one of\n" +
			"--warn or --warn-age, 4 when past one of --critical or --critical-age.",
		Args: cobra.ArbitraryArgs,
	}
	limits.add(c)
	a.addAddr(c)
	c.RunE = func(c *cobra.Command, names []string) error {
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			views, err := lags(ctx, client.Subscriptions(), names)
			if err != nil {
				return err
			}
			if err := output.List(a.printer(), views, lagColumns); err != nil {
				return err
			}
			return limits.check(views)
		})
	}
	return c
}

// lags finds the figures of the named subscriptions, or of all.
func lags(ctx context.Context, subs *headrace.Subscriptions, names []string) ([]lagView, error) {
	wanted, err := namedSubs(ctx, subs, names)
	if err != nil {
		return nil, err
	}
	views := make([]lagView, len(wanted))
	for i, s := range wanted {
		stats, err := subs.Stats(ctx, s.GetName())
		if err != nil {
			return nil, err
		}
		views[i] = viewLag(s, stats)
	}
	return views, nil
}

func namedSubs(ctx context.Context, subs *headrace.Subscriptions, names []string) ([]*headracev1.Subscription, error) {
	if len(names) == 0 {
		all := func(s *headracev1.Subscription) *headracev1.Subscription { return s }
		return collect(subs.List(ctx, headrace.InNamespace("-")), all)
	}
	wanted := make([]*headracev1.Subscription, len(names))
	for i, name := range names {
		s, err := subs.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		wanted[i] = s
	}
	return wanted, nil
}

// lagLimits are the bounds of the check; 0 is none.
type lagLimits struct {
	warn, critical       uint64
	warnAge, criticalAge time.Duration
}

func (l *lagLimits) add(c *cobra.Command) {
	c.Flags().Uint64Var(&l.warn, "warn", 0, "exit 3 above this backlog, in messages")
	c.Flags().Uint64Var(&l.critical, "critical", 0, "exit 4 above this backlog, in messages")
	c.Flags().DurationVar(&l.warnAge, "warn-age", 0, "exit 3 when the oldest unsettled message is older")
	c.Flags().DurationVar(&l.criticalAge, "critical-age", 0, "exit 4 when the oldest unsettled message is older")
}

// check finds the first subscription past a critical limit, else past a warning.
func (l *lagLimits) check(views []lagView) error {
	for _, level := range []struct {
		code     int
		name     string
		messages uint64
		age      time.Duration
	}{
		{exitCritical, "critical", l.critical, l.criticalAge},
		{exitWarning, "warning", l.warn, l.warnAge},
	} {
		for _, v := range views {
			if v.past(level.messages, level.age) {
				return checkError{level.code, fmt.Sprintf("%s: %s is behind by %s messages, the oldest %s old",
					level.name, v.Subscription, output.Count(v.BacklogMessages), secondsText(v.OldestAgeSeconds))}
			}
		}
	}
	return nil
}

package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	"github.com/headrace/headrace/sdk/go"
)

func (a *App) subSeek() *cobra.Command {
	var to seekFlags
	var consent consent
	c := &cobra.Command{
		Use:   "seek NAME",
		Short: "Move a subscription: what is before the place counts as acked, the rest is delivered again",
		Args:  cobra.ExactArgs(1),
	}
	to.add(c)
	consent.addFlags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		target, err := to.target(c)
		if err != nil {
			return err
		}
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			would, err := client.Subscriptions().SeekDryRun(ctx, args[0], target)
			if err != nil {
				return err
			}
			if consent.dryRun {
				return output.One(a.printer(), viewSeek(args[0], would, false), seekColumns)
			}
			question := fmt.Sprintf("move %s: %d messages are delivered again, %d count as acked", args[0], would.Unacked, would.Acked)
			if err := consent.obtain(a, question); err != nil {
				return err
			}
			done, err := client.Subscriptions().Seek(ctx, args[0], target)
			if err != nil {
				return err
			}
			return output.One(a.printer(), viewSeek(args[0], done, true), seekColumns)
		})
	}
	return c
}

// seekFlags say where a subscription is moved.
type seekFlags struct {
	time       string
	offset     string
	snapshot   string
	start, end bool
}

// seekFlagNames are those flags, of which one is given.
var seekFlagNames = []string{"to-time", "to-offset", "to-start", "to-end", "to-snapshot"}

func (f *seekFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.time, "to-time", "",
		"to the first message taken in at or after a time, as 2006-01-02T15:04:05Z, or so long ago, as 2h")
	flags.StringVar(&f.offset, "to-offset", "", "to offsets, as partition:offset,…; other partitions stay as they are")
	flags.BoolVar(&f.start, "to-start", false, "to the first message that is retained")
	flags.BoolVar(&f.end, "to-end", false, "behind the last message")
	flags.StringVar(&f.snapshot, "to-snapshot", "", "to where a subscription stood when this snapshot was taken")
}

func (f *seekFlags) target(c *cobra.Command) (headrace.SeekTarget, error) {
	given := 0
	for _, name := range seekFlagNames {
		if c.Flags().Changed(name) {
			given++
		}
	}
	switch {
	case given != 1:
		return headrace.SeekTarget{}, usagef("one of --%s is needed, and only one", strings.Join(seekFlagNames, ", --"))
	case c.Flags().Changed("to-time"):
		t, err := parseMoment(f.time)
		return headrace.ToTime(t), err
	case c.Flags().Changed("to-offset"):
		positions, err := parsePositions("--to-offset", f.offset)
		return headrace.ToPositions(positions...), err
	case c.Flags().Changed("to-snapshot"):
		return headrace.ToSnapshot(f.snapshot), nil
	case f.start:
		return headrace.ToStart(), nil
	case f.end:
		return headrace.ToEnd(), nil
	}
	return headrace.SeekTarget{}, usagef("--to-start and --to-end are true when given")
}

// parseMoment reads a time, or how long ago it was.
func parseMoment(text string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	ago, err := time.ParseDuration(text)
	if err != nil || ago < 0 {
		return time.Time{}, usagef("--to-time: %q is neither a time, as 2006-01-02T15:04:05Z, nor a duration, as 2h", text)
	}
	return time.Now().Add(-ago), nil
}

// seekView is what a seek did, or would do.
type seekView struct {
	Subscription string `json:"subscription"`
	Generation   uint64 `json:"generation"`
	Unacked      uint64 `json:"unacked"`
	Acked        uint64 `json:"acked"`
	Done         bool   `json:"done"`
}

func viewSeek(name string, r headrace.SeekResult, done bool) seekView {
	return seekView{Subscription: name, Generation: r.Generation, Unacked: r.Unacked, Acked: r.Acked, Done: done}
}

var seekColumns = []output.Column[seekView]{
	{Head: "SUBSCRIPTION", Cell: func(v seekView) string { return v.Subscription }},
	{Head: "GENERATION", Right: true, Cell: func(v seekView) string { return output.Count(v.Generation) }},
	{Head: "UNACKED", Right: true, Cell: func(v seekView) string { return output.Count(v.Unacked) }},
	{Head: "ACKED", Right: true, Cell: func(v seekView) string { return output.Count(v.Acked) }},
	{Head: "DONE", Cell: func(v seekView) string { return strconv.FormatBool(v.Done) }},
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

// deadLettersAtOnce is how many dead letters one call redrives or discards.
const deadLettersAtOnce = 1000

func (a *App) dlq() *cobra.Command {
	c := &cobra.Command{Use: "dlq", Short: "List, show, redrive, export and discard dead letters"}
	c.AddCommand(a.dlqList(), a.dlqPeek(), a.dlqExport(), a.dlqRedrive(), a.dlqDiscard())
	for _, child := range c.Commands() {
		a.addAddr(child)
	}
	return c
}

func (a *App) dlqList() *cobra.Command {
	var pick deadLetterPick
	c := &cobra.Command{
		Use: "ls SUBSCRIPTION [SEQUENCE...]", Aliases: []string{"list"}, Args: cobra.MinimumNArgs(1),
		Short: "List dead letters",
	}
	pick.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.eachDeadLetter(c, args, &pick, func(_ context.Context, _ *headrace.Client, letters []*headracev1.DeadLetter) error {
			var views []deadLetterView
			for _, d := range letters {
				views = append(views, viewDeadLetter(d))
			}
			return output.List(a.printer(), views, deadLetterColumns)
		})
	}
	return c
}

func (a *App) dlqPeek() *cobra.Command {
	c := &cobra.Command{
		Use: "peek SUBSCRIPTION SEQUENCE...", Args: cobra.MinimumNArgs(2),
		Short: "Show dead letters with their messages and failures",
	}
	var none deadLetterPick
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.eachDeadLetter(c, args, &none, func(_ context.Context, _ *headrace.Client, letters []*headracev1.DeadLetter) error {
			var views []deadLetterPeek
			for _, d := range letters {
				views = append(views, peekDeadLetter(d))
			}
			return output.List(a.printer(), views, deadLetterPeekColumns)
		})
	}
	return c
}

// dlqExport writes a dead letter a line, its message as `pub --input jsonl` reads it.
func (a *App) dlqExport() *cobra.Command {
	var pick deadLetterPick
	c := &cobra.Command{
		Use: "export SUBSCRIPTION [SEQUENCE...]", Args: cobra.MinimumNArgs(1),
		Short: "Write the messages of dead letters as JSON lines, as pub --input jsonl reads them",
	}
	pick.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.eachDeadLetter(c, args, &pick, func(_ context.Context, _ *headrace.Client, letters []*headracev1.DeadLetter) error {
			encoder := json.NewEncoder(a.Out)
			for _, d := range letters {
				if d.GetMessage() == nil {
					return fmt.Errorf("dead letter %d is too large to be fetched: %d bytes", d.GetSequence(), d.GetMessageBytes())
				}
				if err := encoder.Encode(deadLine(d)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return c
}

func (a *App) dlqRedrive() *cobra.Command {
	return a.dlqChange("redrive", "Give dead letters back to delivery", "redriven",
		func(ctx context.Context, s *headrace.Subscriptions, name string, sequences []uint64) ([]uint64, error) {
			return s.RedriveDeadLetters(ctx, name, sequences...)
		})
}

func (a *App) dlqDiscard() *cobra.Command {
	return a.dlqChange("discard", "Delete dead letters for good", "discarded",
		func(ctx context.Context, s *headrace.Subscriptions, name string, sequences []uint64) ([]uint64, error) {
			return s.DiscardDeadLetters(ctx, name, sequences...)
		})
}

// deadLetterChange does something to dead letters and says to which.
type deadLetterChange func(ctx context.Context, s *headrace.Subscriptions, name string, sequences []uint64) ([]uint64, error)

// dlqChange makes a command that takes dead letters away, with an outcome for each.
func (a *App) dlqChange(verb, short, done string, do deadLetterChange) *cobra.Command {
	var pick deadLetterPick
	var consent consent
	var rate float64
	c := &cobra.Command{Use: verb + " SUBSCRIPTION [SEQUENCE...]", Short: short, Args: cobra.MinimumNArgs(1)}
	pick.add(c)
	consent.addFlags(c)
	c.Flags().Float64Var(&rate, "rate", 0, "how many a second at most (default: as fast as it goes)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if rate < 0 {
			return usagef("--rate: not below 0")
		}
		return a.eachDeadLetter(c, args, &pick, func(ctx context.Context, client *headrace.Client, letters []*headracev1.DeadLetter) error {
			if !consent.dryRun && len(letters) > 0 {
				if err := consent.obtain(a, fmt.Sprintf("%s %d dead letters of %s", verb, len(letters), args[0])); err != nil {
					return err
				}
			}
			outcomes, err := changeAll(ctx, letters, done, consent.dryRun, newPace(rate), func(sequences []uint64) ([]uint64, error) {
				return do(ctx, client.Subscriptions(), args[0], sequences)
			})
			if err != nil && len(outcomes) == 0 {
				return err
			}
			return errors.Join(err, output.List(a.printer(), outcomes, outcomeColumns))
		})
	}
	return c
}

// pace spreads changes over time.
type pace struct {
	atOnce int
	every  time.Duration
}

// newPace makes the pace of so many a second; 0: as fast as it goes.
func newPace(rate float64) pace {
	switch {
	case rate == 0:
		return pace{atOnce: deadLettersAtOnce}
	case rate < 1:
		return pace{atOnce: 1, every: time.Duration(float64(time.Second) / rate)}
	default:
		return pace{atOnce: min(deadLettersAtOnce, int(rate)), every: time.Second}
	}
}

// changeAll goes through the dead letters in order; it stops at the first call that
// fails and returns the outcomes so far.
func changeAll(
	ctx context.Context, letters []*headracev1.DeadLetter, done string, dryRun bool, p pace, do func([]uint64) ([]uint64, error),
) (outcomes []outcomeView, err error) {
	for first := true; len(letters) > 0; first = false {
		some := letters[:min(len(letters), p.atOnce)]
		letters = letters[len(some):]
		if !first && p.every > 0 && !dryRun {
			if err := sleep(ctx, p.every); err != nil {
				return outcomes, err
			}
		}
		var there []uint64
		if !dryRun {
			if there, err = do(sequencesOf(some)); err != nil {
				return outcomes, err
			}
		}
		for _, d := range some {
			outcome := "not there any more"
			switch {
			case dryRun:
				outcome = "would be " + done
			case slices.Contains(there, d.GetSequence()):
				outcome = done
			}
			outcomes = append(outcomes, outcomeView{Sequence: d.GetSequence(), Outcome: outcome})
		}
	}
	return outcomes, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func sequencesOf(letters []*headracev1.DeadLetter) []uint64 {
	sequences := make([]uint64, 0, len(letters))
	for _, d := range letters {
		sequences = append(sequences, d.GetSequence())
	}
	return sequences
}

// eachDeadLetter collects the dead letters that are meant, and hands them over.
func (a *App) eachDeadLetter(
	c *cobra.Command, args []string, pick *deadLetterPick,
	do func(ctx context.Context, client *headrace.Client, letters []*headracev1.DeadLetter) error,
) error {
	sequences, err := parseSequences(args[1:])
	if err != nil {
		return err
	}
	filter, err := pick.filter()
	if err != nil {
		return err
	}
	return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
		var letters []*headracev1.DeadLetter
		for d, err := range client.Subscriptions().DeadLetters(ctx, args[0], filter) {
			if err != nil {
				return err
			}
			if len(sequences) == 0 || sequences[d.GetSequence()] {
				letters = append(letters, d)
			}
			if pick.limit > 0 && len(letters) == pick.limit {
				break
			}
		}
		return do(ctx, client, letters)
	})
}

func parseSequences(args []string) (map[uint64]bool, error) {
	sequences := make(map[uint64]bool, len(args))
	for _, text := range args {
		sequence, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, usagef("%q is not the sequence of a dead letter", text)
		}
		sequences[sequence] = true
	}
	return sequences, nil
}

// deadLetterPick holds the flags that say which dead letters are meant.
type deadLetterPick struct {
	reasons       []string
	since, before string
	limit         int
	notForwarded  bool
}

func (p *deadLetterPick) add(c *cobra.Command) {
	c.Flags().StringSliceVar(&p.reasons, "reason", nil, "only with these reasons: max-attempts, max-deliveries, rejected, backlog")
	c.Flags().StringVar(&p.since, "since", "", "only those given up at or after this time, as 2006-01-02T15:04:05Z")
	c.Flags().StringVar(&p.before, "before", "", "only those given up before this time")
	c.Flags().BoolVar(&p.notForwarded, "not-forwarded", false, "only those that were to be forwarded and could not")
	c.Flags().IntVar(&p.limit, "max", 0, "at most so many (default: all)")
}

func (p *deadLetterPick) filter() (*headracev1.DeadLetterFilter, error) {
	f := &headracev1.DeadLetterFilter{NotForwarded: p.notForwarded}
	for _, text := range p.reasons {
		name := "DEAD_LETTER_REASON_" + strings.ToUpper(strings.ReplaceAll(text, "-", "_"))
		reason, ok := headracev1.DeadLetterReason_value[name]
		if !ok {
			return nil, usagef("--reason: there is no reason %q", text)
		}
		f.Reasons = append(f.Reasons, headracev1.DeadLetterReason(reason))
	}
	for flag, t := range map[string]struct {
		text string
		to   **timestamppb.Timestamp
	}{"--since": {p.since, &f.DeadSince}, "--before": {p.before, &f.DeadBefore}} {
		if t.text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, t.text)
		if err != nil {
			return nil, usagef("%s: %q is not a time as 2006-01-02T15:04:05Z", flag, t.text)
		}
		*t.to = timestamppb.New(at)
	}
	return f, nil
}

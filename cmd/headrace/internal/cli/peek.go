package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

// errPeekedEnough ends a look that showed as much as was asked for.
var errPeekedEnough = errors.New("enough is shown")

func (a *App) peek() *cobra.Command {
	var partition, offset uint64
	var n int
	var acked bool
	c := &cobra.Command{
		Use: "peek SUBSCRIPTION", Args: cobra.ExactArgs(1),
		Short: "Show messages that a subscription has not acked, and take none",
	}
	c.Flags().Uint64Var(&partition, "partition", 0, "only this partition (default: each of them)")
	c.Flags().Uint64Var(&offset, "from", 0, "the first offset (default: the first that is not acked)")
	c.Flags().IntVarP(&n, "max", "n", 20, "the most messages to show")
	c.Flags().BoolVar(&acked, "acked", false, "show what is acked, too, as far as it is kept")
	c.RunE = func(c *cobra.Command, args []string) error {
		if n < 1 {
			return usagef("--max: at least 1")
		}
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			p := &peeking{subscriptions: client.Subscriptions(), name: args[0], left: n, acked: acked}
			partitions := []uint32{uint32(min(partition, 1<<32-1))}
			if !c.Flags().Changed("partition") {
				var err error
				if partitions, err = p.partitions(ctx); err != nil {
					return err
				}
			}
			for _, number := range partitions {
				err := p.look(ctx, headrace.Position{Partition: number, Offset: offset})
				if errors.Is(err, errPeekedEnough) {
					break
				} else if err != nil {
					return err
				}
			}
			return output.List(a.printer(), p.shown, peekColumns)
		})
	}
	return c
}

// peeking is a look at a subscription.
type peeking struct {
	subscriptions *headrace.Subscriptions
	name          string
	left          int
	acked         bool
	shown         []peekView
}

// partitions are those of the subscription's topic.
func (p *peeking) partitions(ctx context.Context) (all []uint32, err error) {
	stats, err := p.subscriptions.Stats(ctx, p.name)
	for _, partition := range stats.GetPartitions() {
		all = append(all, partition.GetPartition())
	}
	return all, err
}

func (p *peeking) look(ctx context.Context, from headrace.Position) error {
	for m, err := range p.subscriptions.Peek(ctx, p.name, from, p.acked) {
		if err != nil {
			return err
		}
		p.shown = append(p.shown, viewPeek(m))
		p.left--
		if p.left == 0 {
			return errPeekedEnough
		}
	}
	return nil
}

// peekView is a message that is shown.
type peekView struct {
	messageLine

	LogTime time.Time `json:"log_time"`
	Bytes   uint64    `json:"bytes"`
	Acked   bool      `json:"acked"`
}

func viewPeek(m *headracev1.PeekedMessage) peekView {
	v := peekView{LogTime: m.GetLogTime().AsTime(), Bytes: m.GetMessageBytes(), Acked: m.GetAcked()}
	v.messageLine = contentLine(m.GetMessage())
	v.Partition, v.Offset = new(m.GetPosition().GetPartition()), new(m.GetPosition().GetOffset())
	return v
}

var peekColumns = []output.Column[peekView]{
	{Head: "PARTITION", Right: true, Cell: func(v peekView) string { return output.Count(*v.Partition) }},
	{Head: "OFFSET", Right: true, Cell: func(v peekView) string { return output.Count(*v.Offset) }},
	{Head: "TAKEN IN", Cell: func(v peekView) string { return timeText(v.LogTime) }},
	{Head: "BYTES", Right: true, Cell: func(v peekView) string { return output.Count(v.Bytes) }},
	{Head: "ACKED", Cell: func(v peekView) string { return yesText(v.Acked) }},
	{Head: "MESSAGE", Cell: func(v peekView) string { return v.text() }},
}

// yesText is "yes" or nothing.
func yesText(yes bool) string {
	if yes {
		return "yes"
	}
	return ""
}

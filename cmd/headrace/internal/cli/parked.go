package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

// parkedView is a parked key as the command line shows it.
type parkedView struct {
	OrderingKey string    `json:"ordering_key"`
	Partition   uint32    `json:"partition"`
	KeyHash     uint32    `json:"key_hash"`
	Since       time.Time `json:"since"`
	Waiting     uint64    `json:"waiting"`
}

func viewParked(k *headracev1.ParkedKey) parkedView {
	return parkedView{
		OrderingKey: k.GetOrderingKey(), Partition: k.GetPartition(), KeyHash: k.GetKeyHash(),
		Since: k.GetParkTime().AsTime(), Waiting: k.GetWaiting(),
	}
}

var parkedColumns = []output.Column[parkedView]{
	{Head: "KEY", Cell: func(v parkedView) string { return v.OrderingKey }},
	{Head: "PARTITION", Right: true, Cell: func(v parkedView) string { return output.Count(v.Partition) }},
	{Head: "PARKED", Cell: func(v parkedView) string { return timeText(v.Since) }},
	{Head: "WAITING", Right: true, Cell: func(v parkedView) string { return output.Count(v.Waiting) }},
}

func (a *App) subParked() *cobra.Command {
	c := &cobra.Command{Use: "parked NAME", Short: "List the ordering keys that wait to be released", Args: cobra.ExactArgs(1)}
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			keys, err := collect(client.Subscriptions().ParkedKeys(ctx, args[0]), viewParked)
			if err != nil {
				return err
			}
			return output.List(a.printer(), keys, parkedColumns)
		})
	}
	return c
}

// releasedView is how many keys were released.
type releasedView struct {
	Subscription string `json:"subscription"`
	Released     uint64 `json:"released"`
}

var releasedColumns = []output.Column[releasedView]{
	{Head: "SUBSCRIPTION", Cell: func(v releasedView) string { return v.Subscription }},
	{Head: "RELEASED", Right: true, Cell: func(v releasedView) string { return output.Count(v.Released) }},
}

func (a *App) subReleaseKey() *cobra.Command {
	var all bool
	var partitions []uint
	c := &cobra.Command{
		Use: "release-key NAME [KEY...]", Args: cobra.MinimumNArgs(1),
		Short: "Let parked ordering keys go on behind the dead letter",
	}
	c.Flags().BoolVar(&all, "all", false, "all parked keys")
	c.Flags().UintSliceVar(&partitions, "partition", nil, "all parked keys of this partition; may be repeated")
	c.RunE = func(c *cobra.Command, args []string) error {
		if given(len(args) > 1, all, len(partitions) > 0) != 1 {
			return usagef("name the keys, or give --partition, or --all")
		}
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			released, err := releaseKeys(ctx, client.Subscriptions(), args, all, partitions)
			if err != nil {
				return err
			}
			return output.One(a.printer(), releasedView{Subscription: args[0], Released: released}, releasedColumns)
		})
	}
	return c
}

func releaseKeys(ctx context.Context, s *headrace.Subscriptions, args []string, all bool, partitions []uint) (uint64, error) {
	switch {
	case all:
		return s.ReleaseAllParkedKeys(ctx, args[0])
	case len(args) > 1:
		return s.ReleaseParkedKeys(ctx, args[0], args[1:]...)
	}
	numbers := make([]uint32, len(partitions))
	for i, p := range partitions {
		numbers[i] = uint32(min(p, 1<<32-1))
	}
	return s.ReleaseParkedPartitions(ctx, args[0], numbers...)
}

// given counts what is.
func given(is ...bool) (n int) {
	for _, one := range is {
		if one {
			n++
		}
	}
	return n
}

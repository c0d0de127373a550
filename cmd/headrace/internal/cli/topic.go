package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

func (a *App) topic() *cobra.Command {
	c := &cobra.Command{Use: "topic", Short: "Create, list, show, change and remove topics"}
	c.AddCommand(a.topicCreate(), a.topicList(), a.topicInfo(), a.topicEdit(), a.topicRemove())
	for _, child := range c.Commands() {
		a.addAddr(child)
	}
	return c
}

// topicFlags are the properties of a topic that can be given and changed.
type topicFlags struct {
	retention  retentionFlags
	maxMessage config.Bytes
	dedupe     time.Duration
	dedupeIDs  uint64
	labels     []string
}

func (f *topicFlags) add(c *cobra.Command) {
	f.retention.add(c)
	c.Flags().Var(&f.maxMessage, "max-message-bytes", "the largest encoded message (server's default: 1MiB)")
	c.Flags().DurationVar(&f.dedupe, "dedupe-window", 0, "how long a dedupe id counts, 0 to 168h; 0: not at all (server's default: 10m)")
	c.Flags().Uint64Var(&f.dedupeIDs, "dedupe-max-ids", 0, "how many dedupe ids of a partition count (server's default: 1000000)")
	c.Flags().StringArrayVar(&f.labels, "label", nil, "a label, key=value; may be repeated")
}

// apply sets what was given on the command line and returns the names of those
// fields.
func (f *topicFlags) apply(c *cobra.Command, t *headracev1.Topic) (fields []string, err error) {
	fields = f.retention.apply(c, t)
	if c.Flags().Changed("max-message-bytes") {
		t.MaxMessageBytes = uint64(f.maxMessage)
		fields = append(fields, "max_message_bytes")
	}
	if c.Flags().Changed("dedupe-window") {
		t.DedupeWindow = durationpb.New(f.dedupe)
		fields = append(fields, "dedupe_window")
	}
	if c.Flags().Changed("dedupe-max-ids") {
		t.DedupeMaxIds = f.dedupeIDs
		fields = append(fields, "dedupe_max_ids")
	}
	if c.Flags().Changed("label") {
		if t.Labels, err = parseLabels(f.labels); err != nil {
			return nil, err
		}
		fields = append(fields, "labels")
	}
	return fields, nil
}

func (a *App) topicCreate() *cobra.Command {
	var flags topicFlags
	var partitions uint32
	durability := durabilityFlag(headracev1.Durability_DURABILITY_SYNCED)
	c := &cobra.Command{Use: "create NAME", Short: "Create a topic", Args: cobra.ExactArgs(1)}
	flags.add(c)
	c.Flags().Uint32Var(&partitions, "partitions", 1, "the number of partitions, 1 to 256; 1 is total order")
	c.Flags().Var(&durability, "durability", "what a result promises: that the message is synced, or accepted (buffered)")
	c.RunE = func(c *cobra.Command, args []string) error {
		topic := &headracev1.Topic{Name: args[0], Partitions: partitions, Durability: headracev1.Durability(durability)}
		if _, err := flags.apply(c, topic); err != nil {
			return err
		}
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			created, err := client.Topics().Create(ctx, topic)
			if err != nil {
				return err
			}
			return output.One(a.printer(), viewTopic(created), topicColumns)
		})
	}
	return c
}

func (a *App) topicList() *cobra.Command {
	var namespace string
	c := &cobra.Command{Use: "ls", Aliases: []string{"list"}, Short: "List topics"}
	c.Flags().StringVar(&namespace, "namespace", "-", "only topics of this namespace; - is all of them")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			topics, err := collect(client.Topics().List(ctx, headrace.InNamespace(namespace)), viewTopic)
			if err != nil {
				return err
			}
			return output.List(a.printer(), topics, topicColumns)
		})
	}
	return c
}

func (a *App) topicInfo() *cobra.Command {
	c := &cobra.Command{Use: "info NAME", Short: "Show a topic and its figures", Args: cobra.ExactArgs(1)}
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			topic, err := client.Topics().Get(ctx, args[0])
			if err != nil {
				return err
			}
			stats, err := client.Topics().Stats(ctx, args[0])
			if err != nil {
				return err
			}
			return output.One(a.printer(), viewTopicInfo(topic, stats), topicInfoColumns)
		})
	}
	return c
}

func (a *App) topicEdit() *cobra.Command {
	var flags topicFlags
	c := &cobra.Command{Use: "edit NAME", Short: "Change properties of a topic", Args: cobra.ExactArgs(1)}
	flags.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		topic := &headracev1.Topic{Name: args[0]}
		fields, err := flags.apply(c, topic)
		if err != nil {
			return err
		}
		if len(fields) == 0 {
			return usagef("nothing to change: give at least one property")
		}
		return a.withClient(c.Context(), func(ctx context.Context, client *headrace.Client) error {
			updated, err := client.Topics().Update(ctx, topic, fields...)
			if err != nil {
				return err
			}
			return output.One(a.printer(), viewTopic(updated), topicColumns)
		})
	}
	return c
}

func (a *App) topicRemove() *cobra.Command {
	return a.remove("topic", "its messages", func(ctx context.Context, client *headrace.Client, name string, dryRun bool) error {
		if dryRun {
			return removableTopic(ctx, client.Topics(), name)
		}
		return client.Topics().Delete(ctx, name)
	})
}

// removableTopic says why a topic could not be removed.
func removableTopic(ctx context.Context, topics *headrace.Topics, name string) error {
	stats, err := topics.Stats(ctx, name)
	if err != nil {
		return err
	}
	if n := stats.GetSubscriptions(); n > 0 {
		return fmt.Errorf("%s still has %d subscriptions (%w)", name, n, headrace.ErrTopicHasSubscriptions)
	}
	return nil
}

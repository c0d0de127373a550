package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

const (
	// tailWindowMessages is how far `tail` lets the server run ahead.
	tailWindowMessages = 200
	// tailWindowBytes is the same in bytes.
	tailWindowBytes = 16 << 20
	// tailCleanupTimeout bounds the removal of tail's own subscription.
	tailCleanupTimeout = 5 * time.Second
	// tailMaxFrameBytes is the largest frame taken, so that messages of any size
	// that a server allows can be seen.
	tailMaxFrameBytes = 64 << 20
)

// tailFlags say what is received and how much of it.
type tailFlags struct {
	sub, from string
	count     int
}

func (a *App) tail() *cobra.Command {
	var flags tailFlags
	c := &cobra.Command{
		Use:   "tail TOPIC | --sub SUBSCRIPTION",
		Short: "Show messages as they come",
		Long: "Show messages as they come.\n\n" +
			"With a topic, tail makes a subscription of its own and removes it in the end:\n" +
			"nobody else misses a message. With --sub it receives from that subscription\n" +
			"and acks what it shows.",
		Args: cobra.MaximumNArgs(1),
	}
	c.Flags().StringVar(&flags.sub, "sub", "", "receive from this subscription, and ack what is shown")
	c.Flags().StringVar(&flags.from, "from", "latest", "with a topic, where to begin: latest, earliest, a time, or partition:offset,…")
	c.Flags().IntVarP(&flags.count, "count", "n", 0, "end after this many messages; 0: never")
	a.addAddr(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if (len(args) == 1) == (flags.sub != "") {
			return usagef("name a topic or give --sub, one of the two")
		}
		ctx, stop := untilStopped(c.Context())
		defer stop()
		client, err := a.dial(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = client.Close() }()
		if flags.sub != "" {
			return a.show(ctx, client.Subscription(flags.sub), flags.count)
		}
		return a.tailTopic(ctx, client, args[0], flags)
	}
	return c
}

// tailTopic shows a topic through a subscription that lives as long as the tail.
func (a *App) tailTopic(ctx context.Context, client *headrace.Client, topic string, flags tailFlags) (err error) {
	start, err := parseStart(flags.from)
	if err != nil {
		return err
	}
	name := tailSubName(topic)
	if _, err := client.Subscriptions().Create(ctx, &headracev1.Subscription{
		Name:  name,
		Topic: topic,
		Mode:  headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE,
		Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
		// A tail that is killed leaves nothing behind.
		Ephemeral: true,
	}, start); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeTailSub(ctx, client, name)) }()
	a.sayf("tail: showing %s; stop with Ctrl-C", topic)
	return a.show(ctx, client.Subscription(name), flags.count)
}

// tailSubName is a fresh name in the topic's namespace.
func tailSubName(topic string) string {
	namespace, _, ok := strings.Cut(topic, "/")
	name := "tail-" + strings.ToLower(rand.Text()[:12])
	if !ok {
		return name
	}
	return namespace + "/" + name
}

// removeTailSub removes tail's subscription, also when ctx has ended.
func removeTailSub(ctx context.Context, client *headrace.Client, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tailCleanupTimeout)
	defer cancel()
	return client.Subscriptions().Delete(ctx, name)
}

// show writes and acks deliveries until ctx ends or count of them were shown.
func (a *App) show(ctx context.Context, sub *headrace.Subscription, count int) error {
	stream := output.NewStream(a.printer(), messageLine.text)
	shown := 0
	for d, err := range sub.Deliveries(ctx,
		headrace.WithWindow(tailWindowMessages, tailWindowBytes),
		headrace.WithMaxFrameBytes(tailMaxFrameBytes),
	) {
		if err != nil {
			return err
		}
		if err := stream.Write(lineOf(d)); err != nil {
			return err
		}
		d.Ack()
		shown++
		if shown == count {
			break
		}
	}
	return stream.Close()
}

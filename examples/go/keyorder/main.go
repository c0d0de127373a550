// Command keyorder publishes what happens to four accounts, with the account as
// the ordering key. Handlers run four at a time; those of one account run one
// after the other, in the order in which its messages were published, also when
// one of them fails and comes again.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
	"google.golang.org/protobuf/types/known/durationpb"
)

var (
	accounts = []string{"ash", "birch", "cedar", "elm"}
	steps    = []string{"open", "deposit", "withdraw", "close"}
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "keyorder:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	client, err := headrace.DialEnv(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := setUp(ctx, client); err != nil {
		return err
	}
	for _, step := range steps {
		for _, account := range accounts {
			client.Topic("accounts").PublishAsync(ctx, headrace.Message{OrderingKey: account, Data: []byte(step)})
		}
	}
	if err := client.Flush(ctx); err != nil {
		return err
	}
	history, err := receive(ctx, client.Subscription("ledger"), len(steps)*len(accounts))
	for _, account := range accounts {
		fmt.Println(account+":", strings.Join(history[account], ", "))
	}
	return err
}

// setUp creates a topic of four partitions, over which the keys spread, and a
// subscription, which keeps the order of keys unless it says otherwise.
func setUp(ctx context.Context, client *headrace.Client) error {
	_, err := client.Topics().Create(ctx, &headracev1.Topic{Name: "accounts", Partitions: 4})
	if err != nil && !errors.Is(err, headrace.ErrTopicExists) {
		return err
	}
	_, err = client.Subscriptions().Create(ctx, &headracev1.Subscription{
		Name:  "ledger",
		Topic: "accounts",
		Retry: &headracev1.RetryPolicy{MinBackoff: durationpb.New(100 * time.Millisecond)},
	})
	if err != nil && !errors.Is(err, headrace.ErrSubscriptionExists) {
		return err
	}
	return nil
}

// receive writes down what happened to each account. Elm's deposit fails at
// first: what is behind it waits for it, and the other accounts go on.
func receive(ctx context.Context, ledger *headrace.Subscription, count int) (map[string][]string, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex
	history := map[string][]string{}
	handler := func(_ context.Context, d *headrace.Delivery) error {
		mu.Lock()
		defer mu.Unlock()
		step := string(d.Data)
		if d.OrderingKey == "elm" && step == "deposit" && d.Attempt() == 1 {
			history["elm"] = append(history["elm"], "(failed)")
			return errors.New("no connection")
		}
		history[d.OrderingKey] = append(history[d.OrderingKey], step)
		count--
		if count == 0 {
			stop()
		}
		return nil
	}
	err := ledger.Receive(ctx, handler, headrace.WithConcurrency(4))
	return history, err
}

// Command telemetry has many small programs that report without waiting: readings
// and log lines go one way, to a topic that is BUFFERED, and a collector adds
// them up. Nobody hears of what gets lost, and nobody is held up.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

const (
	sensors  = 3
	readings = 100 // of each sensor, every tenth with a log line
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "telemetry:", err)
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
	sent, err := report(ctx, client.Topic("telemetry"))
	if err != nil {
		return err
	}
	fmt.Println("sent", sent, "and waited for none")
	// A program that ends sees to it that all of it has left.
	if err := client.Flush(ctx); err != nil {
		return err
	}
	return collect(ctx, client.Subscription("collector"), sent)
}

// setUp creates a topic whose messages are synced some milliseconds after they
// were accepted, and a subscription that keeps no order.
func setUp(ctx context.Context, client *headrace.Client) error {
	_, err := client.Topics().Create(ctx, &headracev1.Topic{
		Name:       "telemetry",
		Durability: headracev1.Durability_DURABILITY_BUFFERED,
	})
	if err != nil && !errors.Is(err, headrace.ErrTopicExists) {
		return err
	}
	_, err = client.Subscriptions().Create(ctx, &headracev1.Subscription{
		Name:  "collector",
		Topic: "telemetry",
		Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
	})
	if err != nil && !errors.Is(err, headrace.ErrSubscriptionExists) {
		return err
	}
	return nil
}

// report sends what the sensors read, and what they log, and returns how much.
func report(ctx context.Context, telemetry *headrace.Topic) (sent int, err error) {
	send := func(kind string, sensor int, text string) {
		// An error says that there is no room for it, or that the client is closed.
		err = errors.Join(err, telemetry.PublishOneWay(ctx, headrace.Message{
			Data:       []byte(text),
			Attributes: map[string]string{"kind": kind, "source": sensorName(sensor)},
		}))
		sent++
	}
	for n := range readings {
		for sensor := 1; sensor <= sensors; sensor++ {
			send("reading", sensor, strconv.Itoa(10*sensor+n%10))
			if n%10 == 9 {
				send("log", sensor, "the battery is low")
			}
		}
	}
	return sent, err
}

func sensorName(sensor int) string { return fmt.Sprintf("sensor-%d", sensor) }

// collect adds up what came.
func collect(ctx context.Context, collector *headrace.Subscription, count int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	totals, logs := map[string]int{}, map[string]int{}
	err := collector.Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
		source := d.Attributes["source"]
		if d.Attributes["kind"] == "log" {
			logs[source]++
		} else if reading, err := strconv.Atoi(string(d.Data)); err == nil {
			totals[source] += reading
		}
		count--
		if count == 0 {
			stop()
		}
		return nil
	})
	for sensor := 1; sensor <= sensors; sensor++ {
		source := sensorName(sensor)
		fmt.Printf("%s: readings of %d in all, %d log lines\n", source, totals[source], logs[source])
	}
	return err
}

// Command notifyfetch sends large things beside the messages: a message says
// what there is, where, and its digest, and who gets it fetches the thing from a
// store. A directory stands for the store here.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

// reportBytes is more than a message may have.
const reportBytes = 2 << 20

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "notifyfetch:", err)
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
	store, err := os.MkdirTemp("", "store-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(store)
	for _, name := range []string{"january", "february", "march"} {
		if err := put(ctx, client.Topic("reports"), store, name); err != nil {
			return err
		}
	}
	// What was deleted meanwhile is no failure: there is nothing to do.
	if err := os.Remove(filepath.Join(store, "february")); err != nil {
		return err
	}
	return receive(ctx, client.Subscription("readers"), store, 3)
}

func setUp(ctx context.Context, client *headrace.Client) error {
	_, err := client.Topics().Create(ctx, &headracev1.Topic{Name: "reports"})
	if err != nil && !errors.Is(err, headrace.ErrTopicExists) {
		return err
	}
	_, err = client.Subscriptions().Create(ctx, &headracev1.Subscription{Name: "readers", Topic: "reports"})
	if err != nil && !errors.Is(err, headrace.ErrSubscriptionExists) {
		return err
	}
	return nil
}

// put stores a report, and then tells of it: who hears of it finds it.
func put(ctx context.Context, reports *headrace.Topic, store, name string) error {
	report := bytes.Repeat([]byte(name+"\n"), reportBytes/(len(name)+1))
	if err := os.WriteFile(filepath.Join(store, name), report, 0o600); err != nil {
		return err
	}
	_, err := reports.Publish(ctx, headrace.Message{
		Data:       []byte(name),
		Attributes: map[string]string{"sha256": digest(report)},
	})
	return err
}

// receive fetches a number of reports.
func receive(ctx context.Context, readers *headrace.Subscription, store string, count int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	return readers.Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
		count--
		if count == 0 {
			stop()
		}
		return fetch(store, d)
	})
}

// fetch gets what a message tells of, and looks whether it is that.
func fetch(store string, d *headrace.Delivery) error {
	name := string(d.Data)
	report, err := os.ReadFile(filepath.Join(store, name))
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Println(name, "is gone")
		return nil
	}
	if err != nil {
		return err // the store has trouble: later
	}
	if digest(report) != d.Attributes["sha256"] {
		return headrace.Reject("DIGEST", errors.New("it is not what was stored"))
	}
	fmt.Println(name, "fetched, its digest is right:", len(report), "bytes")
	return nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

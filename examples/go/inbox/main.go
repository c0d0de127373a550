// Command inbox books payments of which some come twice: one because its
// publisher sent it again, one because its consumer died before the ack. What was
// done is noted in an inbox, in the transaction that does it, so that each
// payment is booked once whatever comes how often.
//
// The database is bbolt here. With SQL the inbox is a table, and the note is
// INSERT INTO inbox (id) VALUES (?) ON CONFLICT DO NOTHING, in the transaction of
// the booking; it was done before when no row was inserted.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
	"go.etcd.io/bbolt"
)

var (
	inbox   = []byte("inbox")
	account = []byte("account")
	balance = []byte("balance")
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "inbox:", err)
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
	for _, payment := range []struct{ id, amount string }{{"p-1", "10"}, {"p-2", "20"}, {"p-3", "30"}, {"p-1", "10"}} {
		client.Topic("payments").PublishAsync(ctx, headrace.Message{
			Data:       []byte(payment.amount),
			Attributes: map[string]string{"payment": payment.id},
		})
	}
	if err := client.Flush(ctx); err != nil {
		return err
	}
	directory, err := os.MkdirTemp("", "inbox-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	return bookAll(ctx, client.Subscription("bookkeeper"), filepath.Join(directory, "books.db"), 5)
}

func setUp(ctx context.Context, client *headrace.Client) error {
	_, err := client.Topics().Create(ctx, &headracev1.Topic{Name: "payments"})
	if err != nil && !errors.Is(err, headrace.ErrTopicExists) {
		return err
	}
	_, err = client.Subscriptions().Create(ctx, &headracev1.Subscription{
		Name:  "bookkeeper",
		Topic: "payments",
		Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
	})
	if err != nil && !errors.Is(err, headrace.ErrSubscriptionExists) {
		return err
	}
	return nil
}

// bookAll handles a number of deliveries.
func bookAll(ctx context.Context, bookkeeper *headrace.Subscription, path string, count int) error {
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	return bookkeeper.Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
		count--
		if count == 0 {
			stop()
		}
		if err := book(db, d); err != nil {
			return err
		}
		if d.Attributes["payment"] == "p-2" && d.Attempt() == 1 {
			return errors.New("it died before the ack") // so it comes again
		}
		return nil
	})
}

// book adds a payment to the balance unless its id is in the inbox. Either both
// are written or none is.
func book(db *bbolt.DB, d *headrace.Delivery) error {
	id := d.Attributes["payment"]
	amount, err := strconv.ParseUint(string(d.Data), 10, 64)
	if err != nil {
		return headrace.Reject("NOT_A_NUMBER", err)
	}
	return db.Update(func(tx *bbolt.Tx) error {
		seen, err1 := tx.CreateBucketIfNotExists(inbox)
		books, err2 := tx.CreateBucketIfNotExists(account)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if seen.Get([]byte(id)) != nil {
			fmt.Printf("%s, attempt %d: booked before\n", id, d.Attempt())
			return nil
		}
		total := amount
		if before := books.Get(balance); before != nil {
			total += binary.BigEndian.Uint64(before)
		}
		fmt.Printf("%s, attempt %d: the balance is %d\n", id, d.Attempt(), total)
		return errors.Join(
			seen.Put([]byte(id), []byte{}),
			books.Put(balance, binary.BigEndian.AppendUint64(nil, total)))
	})
}

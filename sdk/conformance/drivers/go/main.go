// Command go drives the Go SDK for the conformance suite: it does what it is told on
// its standard input and tells what happened on its standard output, a line of JSON
// each. Package driver has the words.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	headrace "github.com/headrace/headrace/sdk/go"

	"github.com/headrace/headrace/sdk/conformance/driver"
)

// maxLineBytes is how long a command may be.
const maxLineBytes = 64 << 20

func main() {
	d := &drive{
		out: json.NewEncoder(os.Stdout), clients: map[string]*headrace.Client{},
		subscribers: map[string]context.CancelFunc{}, windows: map[string]*headrace.Window{},
		waiting: map[int]chan driver.Command{},
	}
	d.tell(driver.Event{Event: "ready", Language: "go"})
	if err := d.obey(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
}

// drive is the driver.
type drive struct {
	mu          sync.Mutex
	out         *json.Encoder
	clients     map[string]*headrace.Client
	subscribers map[string]context.CancelFunc
	windows     map[string]*headrace.Window // of subscribers.
	deliveries  int
	// waiting are the handlers that were started and wait for their verdict.
	waiting map[int]chan driver.Command
}

func (d *drive) tell(e driver.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.out.Encode(e); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
	}
}

func (d *drive) obey(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLineBytes)
	for lines.Scan() {
		var c driver.Command
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return err
		}
		if err := d.do(c); err != nil {
			d.tell(driver.Event{Event: "failed", Client: c.Client, Detail: c.Do + ": " + err.Error()})
		}
	}
	return lines.Err()
}

func (d *drive) do(c driver.Command) error {
	switch c.Do {
	case "connect":
		client, err := headrace.Dial(context.Background(), c.Address, headrace.WithEvents(func(e headrace.Event) {
			if e.Kind == headrace.SessionBroken {
				d.tell(told(driver.Event{Event: "broken", Client: c.Client}, e.Err))
			}
		}))
		if err != nil {
			return err
		}
		d.clients[c.Client] = client
		d.tell(driver.Event{Event: "connected", Client: c.Client})
	case "publish":
		d.publish(c)
	case "subscribe":
		d.subscribe(c)
	case "window":
		d.windows[c.Subscriber].Resize(c.WindowMessages, c.WindowBytes)
		d.tell(driver.Event{Event: "windowed", Client: c.Client, Subscriber: c.Subscriber})
	case "settle":
		d.mu.Lock()
		waiting := d.waiting[c.Delivery]
		d.mu.Unlock()
		if waiting != nil {
			waiting <- c
		}
	case "stop":
		d.subscribers[c.Subscriber]()
	case "close":
		client := d.clients[c.Client]
		go func() {
			err := client.Close()
			d.tell(told(driver.Event{Event: "closed", Client: c.Client}, err))
		}()
	}
	return nil
}

// told adds to an event why something failed.
func told(e driver.Event, err error) driver.Event {
	if failed, ok := errors.AsType[*headrace.Error](err); ok {
		e.Reason, e.Field, e.Limit = string(failed.Reason), failed.Field, int64(failed.Limit)
	}
	if err != nil {
		e.Detail = err.Error()
	}
	return e
}

func (d *drive) publish(c driver.Command) {
	topic := d.clients[c.Client].Topic(c.Topic)
	for _, m := range c.Messages {
		result := topic.PublishAsync(context.Background(), headrace.Message{
			Data: m.Data, Attributes: m.Attributes, OrderingKey: m.Key, ContentType: m.ContentType, DedupeID: m.DedupeID,
		})
		go func() {
			id, err := result.Get(context.Background())
			e := driver.Event{Event: "published", Client: c.Client, Name: m.Name, ID: string(id)}
			if err != nil {
				e.Event = "refused"
			}
			d.tell(told(e, err))
		}()
	}
}

func (d *drive) subscribe(c driver.Command) {
	ctx, cancel := context.WithCancel(context.Background())
	d.subscribers[c.Subscriber] = cancel
	sub := d.clients[c.Client].Subscription(c.Subscription)
	opts := d.options(c)
	d.tell(driver.Event{Event: "subscribed", Client: c.Client, Subscriber: c.Subscriber})
	go func() {
		var err error
		if c.Face == "loop" {
			err = d.loop(ctx, c, sub, opts)
		} else {
			err = sub.Receive(ctx, func(ctx context.Context, delivery *headrace.Delivery) error {
				return d.handle(ctx, c, delivery)
			}, opts...)
		}
		kind := "stopped"
		if ctx.Err() == nil && err != nil {
			kind = "ended"
		}
		d.tell(told(driver.Event{Event: kind, Client: c.Client, Subscriber: c.Subscriber}, err))
	}()
}

func (d *drive) options(c driver.Command) []headrace.ReceiveOption {
	all := []headrace.ReceiveOption{headrace.WithConcurrency(c.Concurrency)}
	messages := cmp.Or(c.WindowMessages, headrace.DefaultWindowMessages)
	bytes := cmp.Or(c.WindowBytes, headrace.DefaultWindowBytes)
	if c.Resizable {
		w := headrace.NewWindow(messages, bytes)
		d.windows[c.Subscriber] = w
		all = append(all, headrace.WithResizableWindow(w))
	} else if c.WindowMessages > 0 || c.WindowBytes > 0 {
		all = append(all, headrace.WithWindow(messages, bytes))
	}
	if c.Manual {
		all = append(all, headrace.WithManualCredit(c.Ahead))
	}
	if c.LeaseMS > 0 {
		all = append(all, headrace.WithLease(time.Duration(c.LeaseMS)*time.Millisecond))
	}
	if c.MaxExtensionMS > 0 {
		all = append(all, headrace.WithMaxExtension(time.Duration(c.MaxExtensionMS)*time.Millisecond))
	}
	if c.DrainMS > 0 {
		all = append(all, headrace.WithDrainTimeout(time.Duration(c.DrainMS)*time.Millisecond))
	}
	return all
}

// loop takes one delivery after the other, and settles each when it is told.
func (d *drive) loop(ctx context.Context, c driver.Command, sub *headrace.Subscription, opts []headrace.ReceiveOption) error {
	for delivery, err := range sub.Deliveries(ctx, opts...) {
		if err != nil {
			return err
		}
		number, verdict := d.start(c, delivery)
		go func() {
			if err := d.await(delivery.Context(), c, delivery, number, verdict); err != nil {
				settleFailed(delivery, err)
				d.ended("settled", c, number, nil)
			}
		}()
	}
	return nil
}

// settleFailed does by hand what a handler's error does.
func settleFailed(delivery *headrace.Delivery, err error) {
	if errors.Is(err, headrace.ErrRelease) {
		delivery.Release()
		return
	}
	delivery.Retry()
}

// handle is what the SDK calls.
func (d *drive) handle(ctx context.Context, c driver.Command, delivery *headrace.Delivery) error {
	number, verdict := d.start(c, delivery)
	return d.await(ctx, c, delivery, number, verdict)
}

// start tells of a delivery, and makes where its verdict comes.
func (d *drive) start(c driver.Command, delivery *headrace.Delivery) (int, chan driver.Command) {
	verdict := make(chan driver.Command, 1) // the one verdict
	d.mu.Lock()
	d.deliveries++
	number := d.deliveries
	d.waiting[number] = verdict
	d.mu.Unlock()
	d.tell(driver.Event{
		Event: "started", Client: c.Client, Subscriber: c.Subscriber, Delivery: number,
		Attempt: delivery.Attempt(), ID: string(delivery.ID()),
		Message: &driver.Message{
			Data: delivery.Data, Key: delivery.OrderingKey, Attributes: delivery.Attributes, ContentType: delivery.ContentType,
		},
	})
	return number, verdict
}

// await waits for the verdict, or for the loss of the delivery.
func (d *drive) await(ctx context.Context, c driver.Command, delivery *headrace.Delivery, number int, verdict chan driver.Command) error {
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.waiting, number)
	}()
	select {
	case told := <-verdict:
		return d.settle(c, delivery, number, told)
	case <-ctx.Done():
		d.ended("lost", c, number, context.Cause(ctx))
		return context.Cause(ctx)
	}
}

var errFailed = errors.New("told to fail")

func (d *drive) settle(c driver.Command, delivery *headrace.Delivery, number int, told driver.Command) (err error) {
	switch told.Verdict {
	case "ack":
		if c.Face == "loop" {
			delivery.Ack()
		}
	case "confirm":
		err := delivery.AckConfirm(context.Background())
		kind := "confirmed"
		if err != nil {
			kind = "unconfirmed"
		}
		d.ended(kind, c, number, err)
		return nil
	case "fail":
		err = errFailed
	case "retry":
		if told.DelayMS >= 0 {
			delivery.Retry(headrace.RetryAfter(time.Duration(told.DelayMS) * time.Millisecond))
		} else {
			delivery.Retry()
		}
	case "reject":
		delivery.Reject("told", "to reject")
	case "release":
		delivery.Release()
	}
	if err == nil || c.Face != "loop" {
		d.ended("settled", c, number, nil)
	}
	return err
}

func (d *drive) ended(kind string, c driver.Command, number int, err error) {
	d.tell(told(driver.Event{Event: kind, Client: c.Client, Subscriber: c.Subscriber, Delivery: number}, err))
}

// Command chatroom runs three live instances of a program that all hear
// everything: each publishes to the room and gets what any of them said. Each has
// an ephemeral subscription of its own, which goes with it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
	"golang.org/x/sync/errgroup"
)

// The conversation: who says what, in answer to what.
var (
	names   = []string{"red", "green", "blue"}
	answers = map[string]map[string]string{
		"green": {"red: is anybody here?": "I am"},
		"blue":  {"green: I am": "so am I"},
	}
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "chatroom:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var room []*instance
	defer func() {
		for _, i := range room {
			_ = i.client.Close() // it had its say
		}
	}()
	var conversation errgroup.Group
	for _, name := range names {
		i, err := enter(ctx, name)
		if err != nil {
			return err
		}
		room = append(room, i)
		conversation.Go(func() error { return i.listen(ctx) })
	}
	for _, i := range room {
		<-i.entered
	}
	if err := room[0].say(ctx, "is anybody here?"); err != nil {
		return err
	}
	err := conversation.Wait()
	for _, i := range room {
		fmt.Println(i.name, "heard", strings.Join(i.heard, ", "))
	}
	return err
}

// instance is one running copy of the program.
type instance struct {
	name    string
	client  *headrace.Client
	entered chan struct{} // closed when it hears what is said
	heard   []string
}

// enter connects, and creates the room if it is the first there.
func enter(ctx context.Context, name string) (*instance, error) {
	i := &instance{name: name, entered: make(chan struct{})}
	entered := sync.OnceFunc(func() { close(i.entered) })
	var err error
	i.client, err = headrace.DialEnv(ctx, headrace.WithEvents(func(e headrace.Event) {
		if e.Kind == headrace.SessionOpened {
			entered()
		}
	}))
	if err != nil {
		return nil, err
	}
	_, err = i.client.Topics().Create(ctx, &headracev1.Topic{Name: "room"})
	if err != nil && !errors.Is(err, headrace.ErrTopicExists) {
		return nil, err
	}
	return i, nil
}

// say tells everybody, the instance itself too.
func (i *instance) say(ctx context.Context, text string) error {
	_, err := i.client.Topic("room").Publish(ctx, headrace.Message{Data: []byte(i.name + ": " + text)})
	return err
}

// listen hears what is said until everybody had a say, and answers.
func (i *instance) listen(ctx context.Context) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	return i.client.Topic("room").Broadcast(ctx, func(ctx context.Context, d *headrace.Delivery) error {
		line := string(d.Data)
		i.heard = append(i.heard, line)
		if len(i.heard) == len(names) {
			leave()
			return nil
		}
		if answer, ok := answers[i.name][line]; ok {
			return i.say(ctx, answer)
		}
		return nil
	})
}

package headrace

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// broadcastRemovalTimeout bounds the removal of a broadcast's subscription; a server that
// does not hear of it removes it by itself a minute later.
const broadcastRemovalTimeout = 5 * time.Second

// Broadcast calls handler with every message that is published to the topic from now on,
// whoever else receives it: each instance of a program that calls it gets them all. It
// receives as [Subscription.Receive] does, with the same options, through an ephemeral
// subscription of its own, and removes that in the end.
//
// A broken connection is bridged as long as the subscription lives, which is 60 s without
// a session. After that Broadcast returns [ErrSubscriptionDeleted] or
// [ErrSubscriptionNotFound]: messages were missed, so begin with a fresh view of whatever
// they change, and call again. Other errors: those of [Subscriptions.Create] and
// [Subscription.Receive]. It returns nil after a stop by ctx or [Client.Close].
func (t *Topic) Broadcast(ctx context.Context, handler Handler, opts ...ReceiveOption) error {
	name := broadcastName(t.name)
	_, err := t.client.Subscriptions().Create(ctx, &headracev1.Subscription{Name: name, Topic: t.name, Ephemeral: true})
	if ctx.Err() != nil {
		return nil //nolint:nilerr // A stop is no failure; what was made ends by itself.
	}
	if err != nil {
		return err
	}
	err = t.client.Subscription(name).Receive(ctx, handler, opts...)
	if !errors.Is(err, ErrSubscriptionDeleted) && !errors.Is(err, ErrSubscriptionNotFound) {
		t.removeBroadcast(ctx, name)
	}
	return err
}

// removeBroadcast removes a broadcast's subscription, also when ctx has ended. The server
// does it if this fails.
func (t *Topic) removeBroadcast(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), broadcastRemovalTimeout)
	defer cancel()
	_ = t.client.Subscriptions().Delete(ctx, name)
}

// broadcastName is a fresh name in the topic's namespace.
func broadcastName(topic string) string {
	namespace, _, _ := strings.Cut(topic, "/")
	return namespace + "/broadcast-" + strings.ToLower(rand.Text())
}

package main

import (
	"context"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
	"google.golang.org/protobuf/types/known/durationpb"
)

const topicName = "earthquakes"

// The subscriptions: each gets every event.
const (
	alertingSub = "alerting"
	archiveSub  = "archive"
	indexSub    = "index"
	censusSub   = "census"
	digestSub   = "digest"
)

// resumeWindow is how long the server waits for a service whose connection broke
// before others get what it held. A killed one does not come back.
const resumeWindow = time.Second

// setUp creates the topic and its subscriptions. From then on no event of the
// topic can be missed, whether a service runs or not.
func setUp(ctx context.Context, client *headrace.Client, names []string) error {
	if _, err := client.Topics().Create(ctx, &headracev1.Topic{Name: topicName}); err != nil {
		return err
	}
	for _, name := range names {
		sub := &headracev1.Subscription{
			Name:         name,
			Topic:        topicName,
			Order:        headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
			ResumeWindow: durationpb.New(resumeWindow),
		}
		switch name {
		case archiveSub:
			sub.Mode = headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE
		case censusSub:
			// The events of a network one after the other, those of others beside them.
			sub.Order = headracev1.DeliveryOrder_DELIVERY_ORDER_KEY
		}
		if _, err := client.Subscriptions().Create(ctx, sub); err != nil {
			return err
		}
	}
	return nil
}

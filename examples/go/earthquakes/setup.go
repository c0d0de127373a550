package main

import (
	"context"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

const topicName = "earthquakes"

// The subscriptions: each gets every event.
const (
	alertingSub = "alerting"
	archiveSub  = "archive"
	indexSub    = "index"
)

var subNames = []string{alertingSub, archiveSub, indexSub}

// setUp creates the topic and its subscriptions. From then on no event of the
// topic can be missed, whether a service runs or not.
func setUp(ctx context.Context, client *headrace.Client) error {
	if _, err := client.Topics().Create(ctx, &headracev1.Topic{Name: topicName}); err != nil {
		return err
	}
	for _, name := range subNames {
		sub := &headracev1.Subscription{
			Name:  name,
			Topic: topicName,
			Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
		}
		if name == archiveSub {
			sub.Mode = headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE
		}
		if _, err := client.Subscriptions().Create(ctx, sub); err != nil {
			return err
		}
	}
	return nil
}

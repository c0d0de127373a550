package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/headrace/headrace/faults/history"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

const (
	// scratchName is the name of every topic that is deleted again, and of its
	// subscription.
	scratchName = "scratch"
	// firstScratch is the number of the first of them.
	firstScratch = 100
	// scratchMessages are published to each.
	scratchMessages = 20
	// scratchLife bounds how long each is received from.
	scratchLife = 150 * time.Millisecond
	// mostTries bounds how often something is tried, over many lives of the server.
	mostTries = 4_000
	// administratorClient is the administrator's number as a client.
	administratorClient = 1_000_000

	// lease and backoffs of all subscriptions.
	lease                  = 2 * time.Second
	minBackoff, maxBackoff = 200 * time.Millisecond, 2 * time.Second
)

// ledgerSubscriptions are those of the ledger, with their numbers as indexes + 1.
var ledgerSubscriptions = []subscriptionRole{
	{Number: 1, Name: "windows"},
	{Number: 2, Name: "grants", Manual: true},
	{Number: 3, Name: "alone", ClientID: "alone"},
	{Number: 4, Name: "ordered", Ordered: true},
	// What it has no time for is dropped, and told.
	{Number: 5, Name: "capped", Cap: 40},
}

// administrator creates and deletes, and looks at floors and heads.
type administrator struct {
	topics        headracev1.TopicServiceClient
	subscriptions headracev1.SubscriptionServiceClient
	publisher     headracev1.PublisherServiceClient
	conn          *grpc.ClientConn
	recorder      *history.Recorder
	random        *rand.Rand
	// scratches counts the topics that came and went.
	scratches int
}

func newAdministrator(conn *grpc.ClientConn, recorder *history.Recorder, random *rand.Rand) *administrator {
	return &administrator{
		topics: headracev1.NewTopicServiceClient(conn), subscriptions: headracev1.NewSubscriptionServiceClient(conn),
		publisher: headracev1.NewPublisherServiceClient(conn), conn: conn, recorder: recorder, random: random,
	}
}

// setUp makes what the whole campaign uses.
func (a *administrator) setUp(ctx context.Context) error {
	if err := a.createTopic(ctx, &headracev1.Topic{Name: ledgerName, Partitions: partitions}, ledgerTopic); err != nil {
		return err
	}
	buffered := &headracev1.Topic{Name: bufferedName, Durability: headracev1.Durability_DURABILITY_BUFFERED}
	if err := a.createTopic(ctx, buffered, bufferedTopic); err != nil {
		return err
	}
	if err := a.createSubscription(ctx, bufferedSubscription, bufferedName, bufferedTopic); err != nil {
		return err
	}
	for _, r := range ledgerSubscriptions {
		if err := a.createSubscription(ctx, r, ledgerName, ledgerTopic); err != nil {
			return err
		}
	}
	return nil
}

// retry tries until something is done, over the server's deaths.
func retry(ctx context.Context, what string, try func() (done bool, err error)) error {
	var last error
	for range mostTries {
		done, err := try()
		if done {
			return nil
		}
		last = err
		if !pause(ctx) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("%s: tried %d times: %w", what, mostTries, last)
}

// numberLabel tells one topic of a name from the next.
const numberLabel = "number"

func (a *administrator) createTopic(ctx context.Context, topic *headracev1.Topic, number uint64) error {
	label := map[string]string{numberLabel: strconv.FormatUint(number, 10)}
	topic.Labels = label
	if topic.GetRetention() == nil {
		topic.Retention = &headracev1.Retention{}
	}
	topic.Retention.MinAge = durationpb.New(0)
	return retry(ctx, "create topic", func() (bool, error) {
		_, err := a.topics.CreateTopic(ctx, &headracev1.CreateTopicRequest{Topic: topic})
		if err == nil {
			return true, nil
		}
		// An earlier try may have done it.
		got, getErr := a.topics.GetTopic(ctx, &headracev1.GetTopicRequest{Topic: topic.GetName()})
		active := got.GetTopic().GetState() == headracev1.ResourceState_RESOURCE_STATE_ACTIVE
		return active && got.GetTopic().GetLabels()[numberLabel] == label[numberLabel], errors.Join(err, getErr)
	})
}

func (a *administrator) createSubscription(ctx context.Context, r subscriptionRole, topicName string, topic uint64) error {
	label := map[string]string{numberLabel: strconv.FormatUint(r.Number, 10)}
	mode := headracev1.SubscriptionMode_SUBSCRIPTION_MODE_SHARED
	if r.ClientID != "" {
		mode = headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE
	}
	order := headracev1.DeliveryOrder_DELIVERY_ORDER_NONE
	if r.Ordered {
		order = headracev1.DeliveryOrder_DELIVERY_ORDER_KEY
	}
	err := retry(ctx, "create subscription", func() (bool, error) {
		_, err := a.subscriptions.CreateSubscription(ctx, &headracev1.CreateSubscriptionRequest{
			Subscription: &headracev1.Subscription{
				Name: r.Name, Topic: topicName, Mode: mode, Order: order, Labels: label,
				Lease: durationpb.New(lease),
				Retry: &headracev1.RetryPolicy{MinBackoff: durationpb.New(minBackoff), MaxBackoff: durationpb.New(maxBackoff)},

				BacklogCap: r.backlogCap(),
			},
			Start: &headracev1.StartPosition{Position: &headracev1.StartPosition_Earliest{Earliest: true}},
		})
		if err == nil {
			return true, nil
		}
		got, getErr := a.subscriptions.GetSubscription(ctx, &headracev1.GetSubscriptionRequest{Subscription: r.Name})
		active := got.GetSubscription().GetState() == headracev1.ResourceState_RESOURCE_STATE_ACTIVE
		return active && got.GetSubscription().GetLabels()[numberLabel] == label[numberLabel], errors.Join(err, getErr)
	})
	if err != nil {
		return err
	}
	a.recorder.Record(history.Event{Kind: history.SubscriptionMade, Fields: history.Fields{
		Subscription: r.Number, Topic: topic, Exclusive: truth(r.ClientID != ""), Ordered: truth(r.Ordered),
		Lease: uint64(lease), MinBackoff: uint64(minBackoff), MaxBackoff: uint64(maxBackoff),
	}})
	return nil
}

// backlogCap has the oldest messages dropped above the role's cap.
func (r *subscriptionRole) backlogCap() *headracev1.BacklogCap {
	if r.Cap == 0 {
		return nil
	}
	return &headracev1.BacklogCap{
		Max: &headracev1.Amount{Messages: r.Cap}, Action: headracev1.BacklogAction_BACKLOG_ACTION_DROP_OLDEST,
	}
}

// run makes and deletes scratch topics, and looks around, until stop is closed. The
// last topic is deleted too.
func (a *administrator) run(ctx context.Context, stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		_, _ = a.look(ctx) // A server that is gone is no news.
		if err := a.scratch(ctx); err != nil {
			return err
		}
	}
}

// scratch lets a topic live: with another one's name, a few messages, a subscription
// that gets some of them.
func (a *administrator) scratch(ctx context.Context) error {
	number := uint64(firstScratch + a.scratches)
	role := subscriptionRole{Number: number, Name: scratchName}
	if err := a.createTopic(ctx, &headracev1.Topic{Name: scratchName, Partitions: 1}, number); err != nil {
		return err
	}
	if err := a.createSubscription(ctx, role, scratchName, number); err != nil {
		return err
	}
	a.publish(ctx, number)
	a.receive(ctx, role)
	if err := a.delete(ctx, number); err != nil {
		return err
	}
	a.scratches++
	return nil
}

// publish publishes to a scratch topic, in one call that may fail.
func (a *administrator) publish(ctx context.Context, number uint64) {
	id := number << 32
	r := &headracev1.PublishRequest{Topic: scratchName}
	for n := range uint64(scratchMessages) {
		r.Messages = append(r.Messages, &headracev1.Message{Data: encodeBody(number, history.MessageID{Publisher: id, Number: n + 1})})
	}
	event := func(k history.Kind, first, count uint64) history.Event {
		return history.Event{Kind: k, Fields: history.Fields{Topic: number, Publisher: id, Number: first, Count: count}}
	}
	a.recorder.Record(event(history.Publishing, 1, scratchMessages))
	answer, err := a.publisher.Publish(ctx, r)
	if err != nil {
		a.recorder.Record(event(history.Unknown, 1, scratchMessages))
		return
	}
	for _, run := range answer.GetRuns() {
		e := event(history.Published, run.GetFirstSequence(), uint64(run.GetCount()))
		e.Partition, e.Offset = uint64(run.GetPartition()), run.GetFirstOffset()
		a.recorder.Record(e)
	}
}

// receive receives from a scratch subscription for a while.
func (a *administrator) receive(ctx context.Context, role subscriptionRole) {
	ctx, cancel := context.WithTimeout(ctx, scratchLife)
	defer cancel()
	s := &subscriber{
		conn: a.conn, recorder: a.recorder, client: administratorClient + role.Number, role: role, random: a.random, calm: &calm{},
	}
	_ = s.session(ctx) // It may break.
}

// delete deletes the scratch topic with its subscription.
func (a *administrator) delete(ctx context.Context, number uint64) error {
	err := retry(ctx, "delete subscription", func() (bool, error) {
		_, err := a.subscriptions.DeleteSubscription(ctx, &headracev1.DeleteSubscriptionRequest{Subscription: scratchName})
		return err == nil || has(err, headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_NOT_FOUND), err
	})
	if err != nil {
		return err
	}
	a.recorder.Record(history.Event{Kind: history.SubscriptionDeleted, Fields: history.Fields{Subscription: number}})
	err = retry(ctx, "delete topic", func() (bool, error) {
		_, err := a.topics.DeleteTopic(ctx, &headracev1.DeleteTopicRequest{Topic: scratchName})
		return err == nil || has(err, headracev1.ErrorReason_ERROR_REASON_TOPIC_NOT_FOUND), err
	})
	if err != nil {
		return err
	}
	a.recorder.Record(history.Event{Kind: history.TopicDeleted, Fields: history.Fields{Topic: number}})
	return nil
}

// look records floors and heads, and gives what is left; an error when the server
// cannot be asked.
func (a *administrator) look(ctx context.Context) (left uint64, err error) {
	for _, r := range ledgerSubscriptions {
		stats, err := a.subscriptions.GetSubscriptionStats(ctx, &headracev1.GetSubscriptionStatsRequest{Subscription: r.Name})
		if err != nil {
			return 0, err
		}
		for _, p := range stats.GetStats().GetPartitions() {
			a.recorder.Record(history.Event{Kind: history.FloorSeen, Fields: history.Fields{
				Subscription: r.Number, Partition: uint64(p.GetPartition()), Offset: p.GetFloor(),
			}})
		}
		if gone := stats.GetStats().GetRemoved() + stats.GetStats().GetDropped(); gone > 0 {
			a.recorder.Record(history.Event{Kind: history.WentUnsettled, Fields: history.Fields{Subscription: r.Number, Count: gone}})
		}
		left += stats.GetStats().GetBacklog().GetMessages()
	}
	stats, err := a.subscriptions.GetSubscriptionStats(ctx, &headracev1.GetSubscriptionStatsRequest{Subscription: bufferedName})
	if err != nil {
		return 0, err
	}
	return left + stats.GetStats().GetBacklog().GetMessages(), a.lookAtHeads(ctx)
}

func (a *administrator) lookAtHeads(ctx context.Context) error {
	stats, err := a.topics.GetTopicStats(ctx, &headracev1.GetTopicStatsRequest{Topic: ledgerName})
	if err != nil {
		return err
	}
	for _, p := range stats.GetStats().GetPartitions() {
		a.recorder.Record(history.Event{Kind: history.HeadSeen, Fields: history.Fields{
			Topic: ledgerTopic, Partition: uint64(p.GetPartition()), Offset: p.GetNextOffset(),
		}})
	}
	return nil
}

package crash

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/headrace/headrace/faults/history"
	"github.com/headrace/headrace/faults/history/standing"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// receiver is by what a subscription with an account is received from.
type receiver uint8

const (
	// bySDK: by handlers of the Go SDK.
	bySDK receiver = iota + 1
	// byPull: by pulls, settled by their tokens.
	byPull
	// byGrant: by a stream that grants.
	byGrant
)

const (
	// handledName and replayedName are the topics of what has an account; the second one
	// keeps what is settled.
	handledName, replayedName   = "handled", "replayed"
	handledTopic, replayedTopic = 3, 4
	accountPartitions           = 2
	// kept is longer than any campaign.
	kept = 24 * time.Hour

	// handledLease is that of handlers, which extend it; pulledLease that of pulls.
	handledLease, pulledLease = 12 * time.Second, 2 * time.Second
	// resumeWindow is how long a broken session of handlers waits.
	resumeWindow = 8 * time.Second
)

// account is a subscription of which package standing keeps an account.
type account struct {
	number    uint64
	name      string
	topic     uint64
	receiver  receiver
	guarantee standing.Guarantee
	// ordered keeps ordering keys in order; with parks they wait behind what was rejected.
	ordered, parks bool
	// moves: an operator moves it, or has it stand still.
	moves bool
}

var accounts = []account{
	{number: 11, name: "resumed", topic: handledTopic, receiver: bySDK, ordered: true},
	{number: 12, name: "exact", topic: handledTopic, receiver: bySDK, guarantee: standing.ExactlyOnce},
	{number: 13, name: "fleeting", topic: handledTopic, receiver: byGrant, guarantee: standing.AtMostOnce},
	{number: parkedNumber, name: "parked", topic: handledTopic, receiver: byPull, ordered: true, parks: true},
	{number: pausedNumber, name: "paused", topic: handledTopic, receiver: byPull, moves: true},
	{number: pinnedNumber, name: "pinned", topic: handledTopic, receiver: byPull, moves: true},
	{number: soughtNumber, name: "sought", topic: replayedTopic, receiver: byPull, moves: true},
}

// What operators work on.
const parkedNumber, pausedNumber, pinnedNumber, soughtNumber = 14, 15, 16, 17

// accountOf is the account with a number.
func accountOf(number uint64) *account {
	for i := range accounts {
		if accounts[i].number == number {
			return &accounts[i]
		}
	}
	panic(fmt.Sprintf("crash: no account %d", number))
}

func (r *account) topicName() string {
	if r.topic == replayedTopic {
		return replayedName
	}
	return handledName
}

func (r *account) lease() time.Duration {
	if r.receiver == bySDK {
		return handledLease
	}
	return pulledLease
}

// rules are those that package standing goes by.
func (r *account) rules() standing.Rules {
	rules := standing.Rules{
		Subscription: r.number, Topic: r.topic, Guarantee: r.guarantee, Lease: r.lease(),
		Resumes: r.receiver == bySDK, Parks: r.parks,
	}
	if r.ordered {
		rules.KeyOf = keyOf
	}
	return rules
}

// definition is the subscription's.
func (r *account) definition() *headracev1.Subscription {
	never := new(uint32)
	s := &headracev1.Subscription{
		Name: r.name, Topic: r.topicName(), Lease: durationpb.New(r.lease()),
		Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
		Retry: &headracev1.RetryPolicy{
			MinBackoff: durationpb.New(minBackoff), MaxBackoff: durationpb.New(maxBackoff),
			MaxAttempts: never, MaxDeliveries: never,
		},
		Guarantee: map[standing.Guarantee]headracev1.DeliveryGuarantee{
			standing.AtLeastOnce: headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_AT_LEAST_ONCE,
			standing.AtMostOnce:  headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_AT_MOST_ONCE,
			standing.ExactlyOnce: headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_EXACTLY_ONCE,
		}[r.guarantee],
	}
	if r.receiver == bySDK {
		s.ResumeWindow = durationpb.New(resumeWindow)
	}
	if r.ordered {
		s.Order = headracev1.DeliveryOrder_DELIVERY_ORDER_KEY
	}
	if r.parks {
		s.KeyFailurePolicy = headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_PARK_KEY
	}
	return s
}

// setUpAccounts makes topics and subscriptions of all accounts.
func (a *administrator) setUpAccounts(ctx context.Context) error {
	topics := map[uint64]*headracev1.Topic{
		handledTopic: {Name: handledName, Partitions: accountPartitions},
		replayedTopic: {
			Name: replayedName, Partitions: accountPartitions,
			Retention: &headracev1.Retention{KeepSettled: durationpb.New(kept)},
		},
	}
	for number, topic := range topics {
		if err := a.createTopic(ctx, topic, number); err != nil {
			return err
		}
	}
	for i := range accounts {
		if err := a.createSubscribed(ctx, accounts[i].definition()); err != nil {
			return err
		}
	}
	return a.setUpIdles(ctx)
}

// createSubscribed creates a subscription that stays.
func (a *administrator) createSubscribed(ctx context.Context, s *headracev1.Subscription) error {
	return retry(ctx, "create subscription", func() (bool, error) {
		_, err := a.subscriptions.CreateSubscription(ctx, &headracev1.CreateSubscriptionRequest{
			Subscription: s,
			Start:        &headracev1.StartPosition{Position: &headracev1.StartPosition_Earliest{Earliest: true}},
		})
		if err == nil {
			return true, nil
		}
		got, getErr := a.subscriptions.GetSubscription(ctx, &headracev1.GetSubscriptionRequest{Subscription: s.GetName()})
		return got.GetSubscription().GetState() == headracev1.ResourceState_RESOURCE_STATE_ACTIVE, errors.Join(err, getErr)
	})
}

// checkAccounts gives what accounts say of a history.
func checkAccounts(dir string) (
	violations []history.Violation, counts map[string]standing.Counts, gone map[string]uint64, err error,
) {
	gone = map[string]uint64{}
	all := make([]*standing.Account, len(accounts))
	for i := range accounts {
		all[i] = standing.New(accounts[i].rules())
	}
	kept := make([]*standing.Idle, len(idles))
	for i := range idles {
		kept[i] = standing.NewIdle(idles[i].bounds)
	}
	err = history.ReadDir(dir, func(e *history.Event) {
		for _, a := range all {
			a.Read(e)
		}
		for _, a := range kept {
			a.Read(e)
		}
	})
	for i, a := range kept {
		violations = append(violations, a.Violations()...)
		gone[idles[i].name] = a.Gone()
	}
	counts = map[string]standing.Counts{}
	for i, a := range all {
		violations = append(violations, a.Violations()...)
		counts[accounts[i].name] = a.Counts()
	}
	return violations, counts, gone, err
}

package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/headrace/headrace/faults/history"
	"github.com/headrace/headrace/faults/history/linear"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// checkOrder looks for an order of everything that happened to each message on each
// subscription in which a model does the same.
func checkOrder(t *testing.T, c *Campaign) {
	t.Helper()
	for _, r := range ledgerSubscriptions {
		s := linear.NewSubscription(r.Number)
		if err := history.ReadDir(c.historyDir(), s.Read); err != nil {
			t.Fatal(err)
		}
		checked, illegal := s.Check()
		t.Logf("%s: an order for %d messages", r.Name, checked)
		for _, what := range illegal[:min(len(illegal), 3)] {
			t.Error(what)
		}
		if checked == 0 {
			t.Error("nothing was checked")
		}
	}
}

const (
	catalogClients, catalogNames, catalogCalls = 4, 3, 40
	catalogLabels                              = 3
)

// catalogUser is one client that creates, updates, deletes and reads.
type catalogUser struct {
	*administrator
	random *rand.Rand
	// topics and subscriptions are the calls it made, by name.
	topicCalls, subscriptionCalls [catalogNames][]linear.CatalogCall
}

// TestCatalogCallsHaveAnOrder: there is an order of all calls for each name, of topics
// and of subscriptions, in which a model gives the same answers.
func TestCatalogCallsHaveAnOrder(t *testing.T) {
	server := soundServer(t)
	for _, kills := range []int{0, 3} {
		t.Run(fmt.Sprintf("%d kills", kills), func(t *testing.T) { catalogCampaign(t, server, kills) })
	}
}

func catalogCampaign(t *testing.T, server string, kills int) {
	t.Helper()
	campaign := newCampaign(t, server)
	if err := os.MkdirAll(campaign.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	recorder, err := history.Create(campaign.Dir, "harness")
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(campaign.Dir, LogName))
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVictim(server, campaign.storeDir(), nil, recorder, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.process.Kill() })
	users := make([]*catalogUser, catalogClients)
	var work sync.WaitGroup
	for i := range users {
		conn, err := dial(v.process.Address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		random := rand.New(rand.NewPCG(campaign.Seed, uint64(i)))
		users[i] = &catalogUser{administrator: newAdministrator(conn, recorder, random), random: random}
	}
	if err := users[0].createTopic(t.Context(), &headracev1.Topic{Name: ledgerName, Partitions: 1}, ledgerTopic); err != nil {
		t.Fatal(err)
	}
	for _, u := range users {
		work.Go(func() { u.work(t.Context()) })
	}
	moments := rand.New(rand.NewPCG(campaign.Seed, catalogClients))
	for range kills {
		<-time.After(leastLife + time.Duration(moments.Int64N(int64(mostLife/4))))
		v.kill()
		if err := v.start(); err != nil {
			t.Fatal(err)
		}
	}
	work.Wait()
	checkCatalog(t, users)
}

// checkCatalog puts the calls of all users for each name together, and checks them.
func checkCatalog(t *testing.T, users []*catalogUser) {
	t.Helper()
	done := 0
	for n := range catalogNames {
		var topics, subscriptions []linear.CatalogCall
		for _, u := range users {
			topics = append(topics, u.topicCalls[n]...)
			subscriptions = append(subscriptions, u.subscriptionCalls[n]...)
		}
		for what, calls := range map[string][]linear.CatalogCall{"topic": topics, "subscription": subscriptions} {
			for _, c := range calls {
				if c.Answer == linear.Done {
					done++
				}
			}
			if got := linear.Catalog(calls); got != linear.Legal {
				t.Errorf("%s %d: %s: %+v", what, n, got, calls)
			}
		}
	}
	if done < catalogCalls {
		t.Errorf("only %d calls were done", done)
	}
}

// work makes random calls for random names.
func (u *catalogUser) work(ctx context.Context) {
	for range catalogCalls {
		n := u.random.IntN(catalogNames)
		c := linear.CatalogCall{Call: linear.Create + linear.Call(u.random.IntN(4)), Label: u.random.IntN(catalogLabels), At: history.Now()}
		ask, calls := u.askTopic, &u.topicCalls[n]
		if u.random.IntN(2) == 0 {
			ask, calls = u.askSubscription, &u.subscriptionCalls[n]
		}
		var err error
		c.Label, err = ask(ctx, c.Call, fmt.Sprintf("name%d", n), c.Label)
		c.Told, c.Answer = history.Now(), answerOf(err)
		*calls = append(*calls, c)
		if c.Answer == linear.NoAnswer {
			pause(ctx)
		}
	}
}

// errGoing is a read of what is being deleted.
var errGoing = fmt.Errorf("it is going")

func answerOf(err error) linear.Answer {
	switch {
	case err == nil:
		return linear.Done
	case err == errGoing, has(err, headracev1.ErrorReason_ERROR_REASON_TOPIC_NOT_FOUND), //nolint:errorlint // It is not wrapped.
		has(err, headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_NOT_FOUND):
		return linear.NotFound
	case has(err, headracev1.ErrorReason_ERROR_REASON_TOPIC_EXISTS), has(err, headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_EXISTS):
		return linear.Exists
	default:
		return linear.NoAnswer
	}
}

func labels(n int) map[string]string { return map[string]string{numberLabel: strconv.Itoa(n)} }

// found gives the label of what was read.
func found(state headracev1.ResourceState, labels map[string]string, err error) (int, error) {
	if err == nil && state != headracev1.ResourceState_RESOURCE_STATE_ACTIVE {
		return 0, errGoing
	}
	n, _ := strconv.Atoi(labels[numberLabel]) // Nothing else was set.
	return n, err
}

func (u *catalogUser) askTopic(ctx context.Context, call linear.Call, name string, label int) (int, error) {
	topic := &headracev1.Topic{Name: name, Labels: labels(label)}
	var err error
	switch call {
	case linear.Create:
		_, err = u.topics.CreateTopic(ctx, &headracev1.CreateTopicRequest{Topic: topic})
	case linear.Update:
		_, err = u.topics.UpdateTopic(ctx, &headracev1.UpdateTopicRequest{
			Topic: topic, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"labels"}},
		})
	case linear.Delete:
		_, err = u.topics.DeleteTopic(ctx, &headracev1.DeleteTopicRequest{Topic: name})
	default:
		got, err := u.topics.GetTopic(ctx, &headracev1.GetTopicRequest{Topic: name})
		return found(got.GetTopic().GetState(), got.GetTopic().GetLabels(), err)
	}
	return label, err
}

func (u *catalogUser) askSubscription(ctx context.Context, call linear.Call, name string, label int) (int, error) {
	subscription := &headracev1.Subscription{
		Name: name, Topic: ledgerName, Labels: labels(label), Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
	}
	var err error
	switch call {
	case linear.Create:
		_, err = u.subscriptions.CreateSubscription(ctx, &headracev1.CreateSubscriptionRequest{Subscription: subscription})
	case linear.Update:
		_, err = u.subscriptions.UpdateSubscription(ctx, &headracev1.UpdateSubscriptionRequest{
			Subscription: &headracev1.Subscription{Name: name, Labels: labels(label)},
			UpdateMask:   &fieldmaskpb.FieldMask{Paths: []string{"labels"}},
		})
	case linear.Delete:
		_, err = u.subscriptions.DeleteSubscription(ctx, &headracev1.DeleteSubscriptionRequest{Subscription: name})
	default:
		got, err := u.subscriptions.GetSubscription(ctx, &headracev1.GetSubscriptionRequest{Subscription: name})
		return found(got.GetSubscription().GetState(), got.GetSubscription().GetLabels(), err)
	}
	return label, err
}

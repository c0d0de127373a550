package headrace_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"
)

// catalog answers the calls of both services and keeps the latest request.
type catalog struct {
	headracev1.UnimplementedTopicServiceServer
	headracev1.UnimplementedSubscriptionServiceServer

	request any
}

func (c *catalog) CreateTopic(_ context.Context, r *headracev1.CreateTopicRequest) (*headracev1.CreateTopicResponse, error) {
	c.request = r
	if r.GetTopic().GetName() == "taken" {
		return nil, scripted.Status(codes.AlreadyExists, headracev1.ErrorReason_ERROR_REASON_TOPIC_EXISTS, nil)
	}
	return &headracev1.CreateTopicResponse{Topic: &headracev1.Topic{Name: "default/" + r.GetTopic().GetName()}}, nil
}

func (c *catalog) ListTopics(_ context.Context, r *headracev1.ListTopicsRequest) (*headracev1.ListTopicsResponse, error) {
	page := 0
	if r.GetPageToken() != "" {
		if _, err := fmt.Sscan(r.GetPageToken(), &page); err != nil {
			return nil, err
		}
	}
	if r.GetNamespace() == "broken" && page == 1 {
		return nil, scripted.Status(codes.InvalidArgument, headracev1.ErrorReason_ERROR_REASON_INVALID_FIELD, nil)
	}
	response := &headracev1.ListTopicsResponse{Topics: []*headracev1.Topic{{Name: fmt.Sprint(r.GetNamespace(), page)}}}
	if page < 2 {
		response.NextPageToken = strconv.Itoa(page + 1)
	}
	return response, nil
}

func (c *catalog) UpdateTopic(_ context.Context, r *headracev1.UpdateTopicRequest) (*headracev1.UpdateTopicResponse, error) {
	c.request = r
	return &headracev1.UpdateTopicResponse{Topic: r.GetTopic()}, nil
}

func (c *catalog) CreateSubscription(_ context.Context, r *headracev1.CreateSubscriptionRequest) (*headracev1.CreateSubscriptionResponse, error) {
	c.request = r
	return &headracev1.CreateSubscriptionResponse{Subscription: r.GetSubscription()}, nil
}

func (c *catalog) ListSubscriptions(_ context.Context, r *headracev1.ListSubscriptionsRequest) (*headracev1.ListSubscriptionsResponse, error) {
	c.request = r
	return &headracev1.ListSubscriptionsResponse{Subscriptions: []*headracev1.Subscription{{Name: "only"}}}, nil
}

func startCatalog(t *testing.T) (*catalog, *headrace.Client) {
	t.Helper()
	c := &catalog{}
	s := scripted.Start(t, scripted.Services{Topics: c, Subscriptions: c})
	return c, dial(t, s)
}

func TestTopicsAreCreatedAndUpdated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		catalog, c := startCatalog(t)
		topic, err := c.Topics().Create(t.Context(), &headracev1.Topic{Name: "orders", Partitions: 4})
		if err != nil || topic.GetName() != "default/orders" {
			t.Errorf("create: %v, %v", topic, err)
		}
		if _, err := c.Topics().Create(t.Context(), &headracev1.Topic{Name: "taken"}); !errors.Is(err, headrace.ErrTopicExists) {
			t.Errorf("create again: %v", err)
		}
		if _, err := c.Topics().Update(t.Context(), &headracev1.Topic{Name: "orders", MaxMessageBytes: 9}, "max_message_bytes"); err != nil {
			t.Error(err)
		}
		if r := catalog.request.(*headracev1.UpdateTopicRequest); r.GetUpdateMask().GetPaths()[0] != "max_message_bytes" || r.GetTopic().GetMaxMessageBytes() != 9 {
			t.Errorf("update %v", r)
		}
	})
}

func TestAListIsReadPageByPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startCatalog(t)
		var names []string
		for topic, err := range c.Topics().List(t.Context(), headrace.InNamespace("n")) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, topic.GetName())
		}
		if fmt.Sprint(names) != "[n0 n1 n2]" {
			t.Errorf("names %v", names)
		}
		for _, err := range c.Topics().List(t.Context()) {
			if err != nil {
				t.Error(err)
			}
			break
		}
		var last error
		for _, err := range c.Topics().List(t.Context(), headrace.InNamespace("broken")) {
			last = err
		}
		if !errors.Is(last, headrace.ErrInvalidField) {
			t.Errorf("the last error: %v", last)
		}
	})
}

func TestASubscriptionBeginsWhereAsked(t *testing.T) {
	at := time.Unix(100, 0)
	for name, c := range map[string]struct {
		option headrace.StartOption
		want   func(*headracev1.StartPosition) bool
	}{
		"latest":    {headrace.FromLatest(), func(p *headracev1.StartPosition) bool { return p.GetLatest() }},
		"earliest":  {headrace.FromEarliest(), func(p *headracev1.StartPosition) bool { return p.GetEarliest() }},
		"a time":    {headrace.FromTime(at), func(p *headracev1.StartPosition) bool { return p.GetTime().AsTime().Equal(at) }},
		"positions": {headrace.FromPositions(headrace.Position{Partition: 3, Offset: 4}), func(p *headracev1.StartPosition) bool { return p.GetOffsets().GetPositions()[0].GetOffset() == 4 }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				catalog, client := startCatalog(t)
				if _, err := client.Subscriptions().Create(t.Context(), &headracev1.Subscription{Name: "s", Lease: durationpb.New(time.Second)}, c.option); err != nil {
					t.Fatal(err)
				}
				if r := catalog.request.(*headracev1.CreateSubscriptionRequest); !c.want(r.GetStart()) {
					t.Errorf("start %v", r.GetStart())
				}
			})
		})
	}
}

func TestSubscriptionsAreListedByTopic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		catalog, c := startCatalog(t)
		for s, err := range c.Subscriptions().List(t.Context(), headrace.OfTopic("orders"), headrace.InNamespace("-")) {
			if err != nil || s.GetName() != "only" {
				t.Errorf("%v, %v", s, err)
			}
		}
		if r := catalog.request.(*headracev1.ListSubscriptionsRequest); r.GetTopic() != "orders" || r.GetNamespace() != "-" {
			t.Errorf("request %v", r)
		}
	})
}

func TestNamesHaveTheirNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startCatalog(t)
		if n := c.Topic("orders").Name(); n != "default/orders" {
			t.Errorf("topic %q", n)
		}
		if n := c.Subscription("shop/billing").Name(); n != "shop/billing" {
			t.Errorf("subscription %q", n)
		}
	})
}

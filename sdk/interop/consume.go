package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// showsUnknown says which SDKs show fields that they do not know. What the server has
// of them the contract's own call tells.
func showsUnknown(consumer string) bool { return consumer != "go" }

// verdict is what a comparison came to.
type verdict struct {
	corpus, publisher, consumer string
	messages                    int
	differences                 differences
}

// consume has every language receive everything, all at the same time.
func (s *stage) consume(ctx context.Context) error {
	errs := make([]error, len(s.parties))
	var working sync.WaitGroup
	for i, p := range s.parties {
		working.Go(func() { errs[i] = p.carryOut(ctx, "consume", s.address, s.dir, s.planFor(p)) })
	}
	working.Wait()
	return errors.Join(errs...)
}

// planFor is what a party is to receive.
func (s *stage) planFor(p party) plan {
	var all plan
	for _, c := range s.corpora {
		for _, topic := range s.topics(c) {
			all.add(subscription(topic, p.language), len(s.published[topic]), handlers, s.output(topic, p.language))
		}
	}
	return all
}

// output is where a language writes what came from a topic.
func (s *stage) output(topic, language string) string {
	return s.path(corpus{name: strings.ReplaceAll(topic, "/", ",")}, language, "came")
}

// judge compares everything that came with what was sent.
func (s *stage) judge(ctx context.Context) ([]verdict, error) {
	var all []verdict
	for _, c := range s.corpora {
		for _, topic := range s.topics(c) {
			for _, consumer := range s.languages() {
				v, err := s.judgeOne(ctx, c, topic, consumer)
				if err != nil {
					return nil, err
				}
				all = append(all, v)
			}
			if c.byContract {
				v := s.newVerdict(c, topic, contract)
				v.differences = compare(s.published[topic], s.pullByContract(ctx, topic), true, false)
				all = append(all, v)
			}
		}
	}
	return all, nil
}

func (s *stage) newVerdict(c corpus, topic, consumer string) verdict {
	v := verdict{corpus: c.name, publisher: "all", consumer: consumer, messages: len(s.published[topic])}
	if !c.shared {
		v.publisher = s.published[topic][0].publisher
	}
	return v
}

func (s *stage) judgeOne(ctx context.Context, c corpus, topic, consumer string) (verdict, error) {
	v := s.newVerdict(c, topic, consumer)
	published := s.published[topic]
	unknown := c.byContract && showsUnknown(consumer)
	if c.byContract && !unknown {
		published = withoutUnknown(published, c)
	}
	v.differences = compare(published, readMessages(s.output(topic, consumer)), unknown, true)
	stats, err := s.client.Subscriptions().Stats(ctx, subscription(topic, consumer))
	if err != nil {
		return v, err
	}
	if stats.GetBacklog().GetMessages() > 0 || stats.GetRedelivered() > 0 {
		v.differences.addf("%d left, %d delivered again", stats.GetBacklog().GetMessages(), stats.GetRedelivered())
	}
	return v, nil
}

// withoutUnknown is what was sent as one sees it who is shown known fields alone.
func withoutUnknown(published []sent, c corpus) []sent {
	var known []sent
	for m := range c.messages(contract) {
		s := published[len(known)]
		s.digest = digestOf(m, false)
		known = append(known, s)
	}
	return known
}

// pullByContract takes everything from a subscription of its own, as the server has it.
func (s *stage) pullByContract(ctx context.Context, topic string) iter.Seq2[*headracev1.Message, error] {
	return func(yield func(*headracev1.Message, error) bool) {
		name := subscription(topic, contract)
		_, err := headracev1.NewSubscriptionServiceClient(s.rpc).CreateSubscription(ctx, &headracev1.CreateSubscriptionRequest{
			Subscription: &headracev1.Subscription{Name: name, Topic: topic, Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE},
			Start:        &headracev1.StartPosition{Position: &headracev1.StartPosition_Earliest{Earliest: true}},
		})
		if err != nil {
			yield(nil, err)
			return
		}
		for left := len(s.published[topic]); left > 0; {
			response, err := headracev1.NewSubscriberServiceClient(s.rpc).Pull(ctx, &headracev1.PullRequest{
				Subscription: name, ClientId: contract,
			})
			if err != nil {
				yield(nil, err)
				return
			}
			for _, pulled := range response.GetMessages() {
				left--
				if !yield(withID(pulled), nil) {
					return
				}
			}
		}
	}
}

// withID is a pulled message with the id that an SDK gives it.
func withID(pulled *headracev1.PulledMessage) *headracev1.Message {
	m := pulled.GetMessage()
	m.MessageId = fmt.Sprintf("%d-%d", pulled.GetPosition().GetPartition(), pulled.GetPosition().GetOffset())
	return m
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// contract is who publishes by the contract's own calls.
const contract = "contract"

// stage is the server with the topics and subscriptions of all corpora.
type stage struct {
	address, dir string
	parties      []party
	client       *headrace.Client
	rpc          *grpc.ClientConn
	corpora      []corpus
	// published are what was sent to a topic, in order.
	published map[string][]sent
}

func newStage(address, dir string, parties []party, corpora []corpus) (*stage, error) {
	client, err1 := headrace.Dial(context.Background(), address)
	rpc, err2 := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	return &stage{
		address: address, dir: dir, parties: parties, client: client, rpc: rpc, corpora: corpora,
		published: map[string][]sent{},
	}, errors.Join(err1, err2)
}

func (s *stage) close() error { return errors.Join(s.client.Close(), s.rpc.Close()) }

// publishers are those of a corpus.
func (s *stage) publishers(c corpus) []string {
	if c.byContract {
		return []string{contract}
	}
	return s.languages()
}

func (s *stage) languages() []string {
	var all []string
	for _, p := range s.parties {
		all = append(all, p.language)
	}
	return all
}

// topics are those of a corpus.
func (s *stage) topics(c corpus) []string {
	if c.shared || c.byContract {
		return []string{c.topicName("")}
	}
	var all []string
	for _, publisher := range s.publishers(c) {
		all = append(all, c.topicName(publisher))
	}
	return all
}

// setUp creates the topics of a corpus, each with a subscription for each language.
func (s *stage) setUp(ctx context.Context, c corpus) error {
	for _, name := range s.topics(c) {
		topic := &headracev1.Topic{Name: name, Partitions: c.topic.GetPartitions(), MaxMessageBytes: c.topic.GetMaxMessageBytes()}
		if _, err := s.client.Topics().Create(ctx, topic); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, consumer := range s.languages() {
			sub := &headracev1.Subscription{Name: subscription(name, consumer), Topic: name}
			if _, err := s.client.Subscriptions().Create(ctx, sub); err != nil {
				return fmt.Errorf("%s: %w", sub.GetName(), err)
			}
		}
	}
	return nil
}

// subscription is a language's of a topic.
func subscription(topic, consumer string) string { return topic + "." + consumer }

// path is where a file of a corpus lies.
func (s *stage) path(c corpus, language, kind string) string {
	return filepath.Join(s.dir, c.name+"."+language+"."+kind)
}

// publish has every publisher publish, one after the other.
func (s *stage) publish(ctx context.Context) error {
	for _, p := range s.parties {
		var plan plan
		for _, c := range s.corpora {
			if c.byContract {
				continue
			}
			if err := writeMessages(s.path(c, p.language, "corpus"), c.messages(p.language)); err != nil {
				return err
			}
			plan.add(c.topicName(p.language), s.path(c, p.language, "corpus"), s.path(c, p.language, "ids"))
		}
		if err := p.carryOut(ctx, "publish", s.address, s.dir, plan); err != nil {
			return err
		}
	}
	for _, c := range s.corpora {
		if c.byContract {
			if err := s.publishByContract(ctx, c); err != nil {
				return err
			}
		}
		for _, publisher := range s.publishers(c) {
			if err := s.note(c, publisher); err != nil {
				return err
			}
		}
	}
	return nil
}

// publishByContract publishes what no SDK can say.
func (s *stage) publishByContract(ctx context.Context, c corpus) error {
	request := &headracev1.PublishRequest{Topic: c.topicName(contract)}
	for m := range c.messages(contract) {
		request.Messages = append(request.Messages, m)
	}
	response, err := headracev1.NewPublisherServiceClient(s.rpc).Publish(ctx, request)
	if err != nil {
		return err
	}
	var ids []byte
	for _, run := range response.GetRuns() {
		for i := range uint64(run.GetCount()) {
			ids = fmt.Appendf(ids, "%d-%d\n", run.GetPartition(), run.GetFirstOffset()+i)
		}
	}
	return os.WriteFile(s.path(c, contract, "ids"), ids, 0o600)
}

// note reads which ids the messages of a publisher got.
func (s *stage) note(c corpus, publisher string) error {
	file, err := os.Open(s.path(c, publisher, "ids"))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	ids := bufio.NewScanner(file)
	topic := c.topicName(publisher)
	for m := range c.messages(publisher) {
		if !ids.Scan() {
			return fmt.Errorf("%s: %s has too few ids", c.name, publisher)
		}
		s.published[topic] = append(s.published[topic], sent{
			id: ids.Text(), key: m.GetOrderingKey(), publisher: publisher, digest: digestOf(m, c.byContract),
		})
	}
	if ids.Scan() {
		return fmt.Errorf("%s: %s has too many ids", c.name, publisher)
	}
	return ids.Err()
}

package stage

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/conformance/driver"
	"github.com/headrace/headrace/sdk/conformance/record"
	"github.com/headrace/headrace/sdk/conformance/scenario"
)

var (
	errDo         = errors.New("nobody knows how to do this")
	errNotHeld    = errors.New("nothing is held that fits")
	errNobody     = errors.New("no such subscriber")
	errNotOrderly = errors.New("the server did not end in order")
)

// step takes one step.
func (p *play) step(ctx context.Context, s *scenario.Step) error {
	switch {
	case s.Connect != nil:
		return p.cast.connect(ctx, *s.Connect)
	case s.Publish != nil:
		return p.cast.publish(ctx, s.Publish)
	case s.Subscribe != nil:
		return p.cast.subscribe(ctx, s.Subscribe)
	case s.Window != nil:
		return p.cast.resize(ctx, *s.Window)
	case s.WindowWalk != nil:
		return p.cast.walk(ctx, s.WindowWalk)
	case s.Settle != nil:
		return p.cast.settle(s.Settle)
	case s.Stop != nil:
		return p.cast.stop(ctx, s.Stop)
	case s.Close != nil:
		return p.cast.closeClient(ctx, s.Close.Client)
	case s.Kill != nil:
		return p.cast.kill(s.Kill.Client)
	case s.Await != nil:
		w := s.Await
		return p.history.Await(ctx, record.Wait{Of: w.Of, Count: max(1, w.Count), Sum: w.Sum, Distinct: w.Distinct})
	default:
		return p.strike(ctx, s)
	}
}

// strike takes the steps that are about the server and the network.
func (p *play) strike(ctx context.Context, s *scenario.Step) error {
	switch {
	case s.Server != nil:
		return p.server.do(ctx, s.Server.Do, p.history)
	case s.Network != nil:
		return p.cast.network(s.Network)
	case s.AwaitStats != nil:
		return p.server.awaitStats(ctx, s.AwaitStats)
	case s.Stats != nil:
		fields, err := p.server.stats(ctx, s.Stats.Subscription)
		p.history.Record("stats", fields)
		return err
	case s.Admin != nil:
		p.history.Record("admin", record.Fields{"do": s.Admin.Do, "subscription": s.Admin.Subscription, "key": s.Admin.Key})
		return p.server.administer(ctx, s.Admin)
	default:
		return errDo
	}
}

// publish publishes, and waits for the results.
func (c *cast) publish(ctx context.Context, s *scenario.Publish) error {
	messages := c.compose(s)
	if s.Unknown {
		return c.server.publishUnknown(ctx, s.Topic, messages)
	}
	if err := c.tell(s.Client, driver.Command{Do: "publish", Topic: s.Topic, Messages: messages}); err != nil || s.Background {
		return err
	}
	names := make(record.Values, 0, len(messages))
	for _, m := range messages {
		names = append(names, m.Name)
	}
	return c.history.Await(ctx, record.Wait{Of: record.Match{"event": {"published", "refused"}, "message": names}, Count: len(names)})
}

func (c *cast) compose(s *scenario.Publish) []driver.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	prefix := s.Prefix
	if prefix == "" {
		prefix = "m"
	}
	var messages []driver.Message
	for range max(1, s.Count) {
		n := c.numbers[prefix]
		c.numbers[prefix]++
		m := compose(prefix+strconv.Itoa(n+1), n, s)
		c.published[m.Name] = m
		messages = append(messages, m)
	}
	return messages
}

// unknownField is a field that the contract does not have: its number, and what it is.
const (
	unknownField = 1_999
	unknownText  = "from a later version"
)

// publishUnknown publishes messages with a field that the contract does not have.
func (s *server) publishUnknown(ctx context.Context, topic string, messages []driver.Message) error {
	request := &headracev1.PublishRequest{Topic: topic}
	for n := range messages {
		m := contractMessage(&messages[n])
		field := protowire.AppendTag(nil, unknownField, protowire.BytesType)
		m.ProtoReflect().SetUnknown(protowire.AppendString(field, unknownText))
		request.Messages = append(request.Messages, m)
	}
	_, err := headracev1.NewPublisherServiceClient(s.conn).Publish(ctx, request)
	return err
}

func (c *cast) settle(s *scenario.Settle) error {
	found, err := c.subscriber(s.Subscriber)
	if err != nil {
		return err
	}
	if s.Rest {
		found.from(scenario.Rule{On: s.On, Do: s.Do, Delay: s.Delay})
		return nil
	}
	if found.letGo(s.On, s.Do, s.Delay) == 0 {
		return fmt.Errorf("%w: %s", errNotHeld, s.On)
	}
	return nil
}

func (c *cast) subscriber(name string) (*subscriber, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.subscribers[name]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("%w: %q", errNobody, name)
}

func (c *cast) stop(ctx context.Context, s *scenario.Stop) error {
	found, err := c.subscriber(s.Subscriber)
	if err != nil {
		return err
	}
	c.history.Record("stopping", record.Fields{"subscriber": s.Subscriber})
	if err := c.tell(found.client, driver.Command{Do: "stop", Subscriber: s.Subscriber}); err != nil {
		return err
	}
	if s.Held != "" {
		found.from(scenario.Rule{Do: s.Held})
	}
	if s.Background {
		return nil
	}
	return c.await(ctx, "stopped", record.Fields{"subscriber": s.Subscriber})
}

// network strikes a client's network.
func (c *cast) network(s *scenario.Network) error {
	found, err := c.client(s.Client)
	if err != nil {
		return err
	}
	c.history.Record("network", record.Fields{"client": s.Client, "do": s.Do})
	switch s.Do {
	case "cut":
		found.link.Cut()
	case "refuse":
		found.link.Refuse()
	case "hold_server":
		found.link.HoldServer()
	case "hold_client":
		found.link.HoldClient()
	case "delay":
		found.link.Delay(s.By)
	case "heal":
		found.link.Heal()
	default:
		return fmt.Errorf("%w: network %q", errDo, s.Do)
	}
	return nil
}

// do does something to the server.
func (s *server) do(ctx context.Context, what string, h *record.History) error {
	h.Record("server", record.Fields{"do": what})
	switch what {
	case "terminate":
		s.running().Terminate()
	case "ended":
		select {
		case <-s.running().Exited():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if code := s.running().ExitCode(); code != 0 {
			return fmt.Errorf("%w: exit code %d", errNotOrderly, code)
		}
	case "kill":
		s.running().Kill()
	case "start":
		return s.start()
	default:
		return fmt.Errorf("%w: server %q", errDo, what)
	}
	return nil
}

// administer does what an operator does.
func (s *server) administer(ctx context.Context, a *scenario.Admin) error {
	if a.Do != "release_key" {
		return fmt.Errorf("%w: admin %q", errDo, a.Do)
	}
	_, err := s.subscriptions().ReleaseParkedKeys(ctx, &headracev1.ReleaseParkedKeysRequest{
		Subscription: a.Subscription, OrderingKeys: []string{a.Key},
	})
	return err
}

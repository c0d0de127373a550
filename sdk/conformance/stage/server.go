package stage

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/internal/serverproc"
	"github.com/headrace/headrace/sdk/conformance/record"
	"github.com/headrace/headrace/sdk/conformance/scenario"
)

// lookEvery is how often figures are looked at by who waits for them.
const lookEvery = 20 * time.Millisecond

// server is the server of a scenario. It has one address for all its lives.
type server struct {
	options serverproc.Options
	conn    *grpc.ClientConn

	mu      sync.Mutex
	process *serverproc.Process
}

func startServer(binary, dir string, flags []string, log io.Writer) (*server, error) {
	s := &server{options: serverproc.Options{
		Binary: binary, Dir: dir, Log: log, Env: os.Environ(),
		Args: append([]string{"--log-level", "info"}, flags...),
	}}
	if err := s.start(); err != nil {
		return nil, err
	}
	s.options.Args = append(s.options.Args, "--listen", s.address())
	var err error
	s.conn, err = grpc.NewClient("passthrough:"+s.address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	return s, err
}

func (s *server) start() error {
	process, err := serverproc.Start(s.options)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process = process
	return nil
}

func (s *server) running() *serverproc.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

func (s *server) address() string { return s.running().Address }

func (s *server) kill() {
	if s.conn != nil {
		_ = s.conn.Close()
	}
	s.running().Kill()
}

// setUp creates what a scenario begins with.
func (s *server) setUp(ctx context.Context, setup scenario.Setup) error {
	for _, fields := range setup.Topics {
		topic := &headracev1.Topic{}
		if err := fill(topic, fields); err != nil {
			return err
		}
		_, err := headracev1.NewTopicServiceClient(s.conn).CreateTopic(ctx, &headracev1.CreateTopicRequest{Topic: topic})
		if err != nil {
			return fmt.Errorf("topic %q: %w", topic.GetName(), err)
		}
	}
	for _, fields := range setup.Subscriptions {
		sub := &headracev1.Subscription{}
		if err := fill(sub, fields); err != nil {
			return err
		}
		_, err := s.subscriptions().CreateSubscription(ctx, &headracev1.CreateSubscriptionRequest{Subscription: sub})
		if err != nil {
			return fmt.Errorf("subscription %q: %w", sub.GetName(), err)
		}
	}
	return nil
}

func (s *server) subscriptions() headracev1.SubscriptionServiceClient {
	return headracev1.NewSubscriptionServiceClient(s.conn)
}

// fill sets the fields of a message of the contract from what a scenario says.
func fill(m proto.Message, fields map[string]any) error {
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return protojson.Unmarshal(text, m)
}

// stats gives a subscription's figures, flat: "backlog.messages".
func (s *server) stats(ctx context.Context, subscription string) (record.Fields, error) {
	answer, err := s.subscriptions().GetSubscriptionStats(ctx, &headracev1.GetSubscriptionStatsRequest{Subscription: subscription})
	if err != nil {
		return nil, err
	}
	text, err := protojson.MarshalOptions{EmitUnpopulated: true}.Marshal(answer.GetStats())
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	fields := record.Fields{"subscription": subscription}
	flatten(fields, "", tree)
	return fields, nil
}

func flatten(into record.Fields, prefix string, tree map[string]any) {
	for name, value := range tree {
		switch v := value.(type) {
		case map[string]any:
			flatten(into, prefix+name+".", v)
		case string:
			into[prefix+name] = v
		case []any:
			into[prefix+name] = strconv.Itoa(len(v))
		}
	}
}

// awaitStats waits until figures are as said.
func (s *server) awaitStats(ctx context.Context, w *scenario.AwaitStats) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	wrong := "there are no figures"
	for {
		fields, err := s.stats(ctx, w.Subscription)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("%s: %w", wrong, context.Cause(ctx))
		case err != nil:
			return err
		}
		wrong = ""
		for name, want := range w.Are {
			if fields[name] != want {
				wrong = fmt.Sprintf("%s is %q, not %q", name, fields[name], want)
			}
		}
		if wrong == "" {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

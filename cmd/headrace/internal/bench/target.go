package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/internal/measure"
	"github.com/headrace/headrace/internal/serverproc"
	"github.com/headrace/headrace/sdk/go"
)

// target is the server that is measured.
type target struct {
	addr string
	// process and dir are set when the server is a child of ours.
	process *serverproc.Process
	dir     string
}

// startTarget starts a server on a fresh directory, or names the one at Addr.
func startTarget(o Options) (*target, error) {
	if o.Addr != "" {
		return &target{addr: o.Addr}, nil
	}
	dir, err := os.MkdirTemp(o.Dir, "headrace-bench-")
	if err != nil {
		return nil, err
	}
	process, err := serverproc.Start(serverproc.Options{Binary: o.Binary, Dir: filepath.Join(dir, "data"), Args: serverArgs(o), Log: o.Log})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &target{addr: process.Address, process: process, dir: dir}, nil
}

func serverArgs(o Options) []string {
	args := []string{"--log-level", "warn", "--max-message-bytes", strconv.Itoa(max(1<<20, o.Size+4<<10))}
	if o.Profile != "" {
		args = append(args, "--cpu-profile", filepath.Join(o.Profile, "server.pprof"))
	}
	return args
}

// stop ends a server of ours and removes its directory.
func (t *target) stop() error {
	if t.process == nil {
		return nil
	}
	return errors.Join(t.process.Stop(), os.RemoveAll(t.dir))
}

// cpu is the CPU time of a server of ours so far.
func (t *target) cpu() (used time.Duration, known bool, err error) {
	if t.process == nil {
		return 0, false, nil
	}
	used, err = measure.ProcessCPU(t.process.PID())
	return used, err == nil, err
}

// dial makes one more client of the server.
func (t *target) dial(ctx context.Context, o Options) (*headrace.Client, error) {
	options := []headrace.DialOption{
		headrace.WithPublishBatch(o.BatchMessages, o.BatchBytes, o.BatchDelay),
		headrace.WithPublishBuffer(max(o.InFlight*o.Publishers, headrace.DefaultBufferMessages), headrace.DefaultBufferBytes),
	}
	if o.WithoutProducer {
		options = append(options, headrace.WithoutProducer())
	}
	return headrace.Dial(ctx, t.addr, options...)
}

// ground are the topics and the subscription of one run.
type ground struct {
	// topics get messages, idle ones do not.
	topics, idle []string
	sub          string
}

// groundAtOnce bounds the topics that are made, or removed, at a time: many share a
// commit then.
const groundAtOnce = 256

// prepare makes the topics, and in EndToEnd the first one's subscription.
func prepare(ctx context.Context, c *headrace.Client, o Options) (ground, error) {
	name := "bench-" + strings.ToLower(rand.Text()[:12])
	all := make([]string, o.Topics+o.IdleTopics)
	for i := range all {
		all[i] = name + "-" + strconv.Itoa(i)
	}
	g := ground{topics: all[:o.Topics], idle: all[o.Topics:]}
	err := g.each(ctx, func(ctx context.Context, topic string) error {
		_, err := c.Topics().Create(ctx, &headracev1.Topic{
			Name:            topic,
			Partitions:      uint32(o.Partitions),
			Durability:      o.durability(),
			MaxMessageBytes: uint64(max(1<<20, o.Size+4<<10)),
		})
		return err
	})
	if err != nil || o.Mode == Publish {
		return g, err
	}
	g.sub = name
	_, err = c.Subscriptions().Create(ctx, &headracev1.Subscription{
		Name:  g.sub,
		Topic: g.topics[0],
		Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,

		Guarantee: o.guarantee(),
	})
	return g, err
}

// remove deletes what prepare made.
func (g ground) remove(ctx context.Context, c *headrace.Client) error {
	var err error
	if g.sub != "" {
		err = c.Subscriptions().Delete(ctx, g.sub)
	}
	return errors.Join(err, g.each(ctx, c.Topics().Delete))
}

// each calls fn for every topic, some at a time.
func (g ground) each(ctx context.Context, fn func(ctx context.Context, topic string) error) error {
	calls, ctx := errgroup.WithContext(ctx)
	calls.SetLimit(groundAtOnce)
	for _, topics := range [][]string{g.topics, g.idle} {
		for _, topic := range topics {
			calls.Go(func() error { return fn(ctx, topic) })
		}
	}
	return calls.Wait()
}

func (o *Options) guarantee() headracev1.DeliveryGuarantee {
	if o.ExactlyOnce {
		return headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_EXACTLY_ONCE
	}
	return headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_AT_LEAST_ONCE
}

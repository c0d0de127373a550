package bench

import (
	"errors"
	"fmt"
	"io"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// Mode is which way of a message is measured.
type Mode string

// The modes.
const (
	// Publish counts a message when its result is there: it is synced.
	Publish Mode = "pub"
	// EndToEnd counts a message when its ack is confirmed: it was published,
	// pushed and acked, and both are synced.
	EndToEnd Mode = "e2e"
)

// stampBytes is what a message needs for the time at which it was sent.
const stampBytes = 8

// Options say what is measured and with which load.
type Options struct {
	Mode Mode
	// Addr is the server to measure; empty: Binary is started on a temporary
	// directory below Dir.
	Addr, Binary, Dir string
	// Profile is a directory that gets CPU profiles of client and server over
	// the run; empty: none.
	Profile string
	// Size is the payload of a message, in bytes, random.
	Size int
	// Publishers have InFlight messages awaiting a result each, and share
	// Connections clients; 0 is a client each. What shares a client shares batches.
	Publishers, InFlight, Connections int
	// Subscribers have a client each, with Window messages unsettled at most.
	Subscribers, Window int
	// Topics have Partitions each; publishers send to one after the other. Only
	// Publish has more than one. IdleTopics are there besides, and get nothing.
	Topics, IdleTopics, Partitions int
	// WithoutProducer: clients publish without a producer.
	WithoutProducer bool
	// Buffered: the topics' publishes have their results before they are synced.
	Buffered bool
	// ExactlyOnce: so the subscription of EndToEnd delivers; else at least once.
	ExactlyOnce bool
	// BatchMessages, BatchBytes and BatchDelay are the client's own batching.
	BatchMessages, BatchBytes int
	BatchDelay                time.Duration
	// Rate is the most messages sent a second, all publishers together; 0: as
	// many as go.
	Rate float64
	// Warmup is not measured; Duration is.
	Warmup, Duration time.Duration
	// Lone also measures one publisher with one message in flight, first.
	Lone bool
	// Say gets a line for each stage of the run.
	Say func(format string, args ...any)
	// Log takes the server's log.
	Log io.Writer
}

// Validate reports every option that cannot be.
func (o Options) Validate() error {
	return errors.Join(
		atLeast("size", o.Size, o.leastSize()),
		atLeast("publishers", o.Publishers, 1),
		atLeast("in-flight", o.InFlight, 1),
		atLeast("connections", o.Connections, 0),
		atLeast("subscribers", o.Subscribers, 1),
		atLeast("window", o.Window, 1),
		atLeast("partitions", o.Partitions, 1),
		atLeast("topics", o.Topics, 1),
		atLeast("idle-topics", o.IdleTopics, 0),
		atLeast("batch-messages", o.BatchMessages, 1),
		atLeast("batch-bytes", o.BatchBytes, 1),
		atLeast("duration", o.Duration, time.Millisecond),
		atLeast("warmup", o.Warmup, 0),
		atLeast("rate", o.Rate, 0),
	)
}

func (o Options) durability() headracev1.Durability {
	if o.Buffered {
		return headracev1.Durability_DURABILITY_BUFFERED
	}
	return headracev1.Durability_DURABILITY_SYNCED
}

// connections is how many clients the publishers have.
func (o Options) connections() int {
	if o.Connections == 0 {
		return o.Publishers
	}
	return min(o.Connections, o.Publishers)
}

// leastSize leaves room for the time stamp where a subscriber reads it.
func (o Options) leastSize() int {
	if o.Mode == EndToEnd {
		return stampBytes
	}
	return 0
}

func atLeast[N int | float64 | time.Duration](name string, value, least N) error {
	if value < least {
		return fmt.Errorf("%s: %v is below %v", name, value, least)
	}
	return nil
}

package scenario

import (
	"errors"
	"time"

	"github.com/headrace/headrace/sdk/conformance/record"
)

// Step is one step. Exactly one of its parts is set.
type Step struct {
	Connect    *Connect    `yaml:"connect"`
	Publish    *Publish    `yaml:"publish"`
	Subscribe  *Subscribe  `yaml:"subscribe"`
	Window     *Window     `yaml:"window"`
	WindowWalk *WindowWalk `yaml:"window_walk"`
	Settle     *Settle     `yaml:"settle"`
	Stop       *Stop       `yaml:"stop"`
	Close      *Client     `yaml:"close"`
	Kill       *Client     `yaml:"kill"`
	Server     *Server     `yaml:"server"`
	Network    *Network    `yaml:"network"`
	Await      *Await      `yaml:"await"`
	AwaitStats *AwaitStats `yaml:"await_stats"`
	Stats      *Stats      `yaml:"stats"`
	Admin      *Admin      `yaml:"admin"`
}

var errStep = errors.New("a step is exactly one thing")

func (s *Step) validate() error {
	set := 0
	for _, is := range []bool{
		s.Connect != nil, s.Publish != nil, s.Subscribe != nil, s.Window != nil, s.WindowWalk != nil,
		s.Settle != nil, s.Stop != nil,
		s.Close != nil, s.Kill != nil, s.Server != nil, s.Network != nil, s.Await != nil,
		s.AwaitStats != nil, s.Stats != nil, s.Admin != nil,
	} {
		if is {
			set++
		}
	}
	if set != 1 {
		return errStep
	}
	return nil
}

// Client names a client.
type Client struct {
	Client string `yaml:"client"`
}

// Connect makes a client.
type Connect struct {
	Client string `yaml:"client"`
	// Process names the process that it lives in; clients of one process die together.
	// Default: one for all.
	Process string `yaml:"process"`
}

// Publish publishes messages and waits until each has its result.
type Publish struct {
	Client string `yaml:"client"`
	Topic  string `yaml:"topic"`
	// Prefix begins the names of the messages; a number follows that goes on from one
	// step to the next. Default: "m".
	Prefix string `yaml:"prefix"`
	// Count is how many. Default: 1.
	Count int `yaml:"count"`
	// Keys are their ordering keys, in turn. Default: none.
	Keys []string `yaml:"keys"`
	// Attributes are the same for all of them.
	Attributes map[string]string `yaml:"attributes"`
	// Pad makes things as long as a limit wants them.
	Pad Pad `yaml:"pad"`
	// ContentType and DedupeID are what they say.
	ContentType string `yaml:"content_type"`
	DedupeID    string `yaml:"dedupe_id"`
	// Unknown adds fields that the contract does not have. The stage publishes these
	// messages itself, for no SDK lets a program do it.
	Unknown bool `yaml:"unknown"`
	// Background does not wait.
	Background bool `yaml:"background"`
}

// Pad gives sizes in bytes; 0 leaves a thing as it is.
type Pad struct {
	// Data is the size of the data.
	Data int `yaml:"data"`
	// Encoded is the size of the whole message, reached with data.
	Encoded int `yaml:"encoded"`
	// Key, ContentType and DedupeID are the sizes of these.
	Key         int `yaml:"key"`
	ContentType int `yaml:"content_type"`
	DedupeID    int `yaml:"dedupe_id"`
	// Attributes is how many there are; AttributeKey and AttributeValue are the sizes
	// of one more.
	Attributes     int `yaml:"attributes"`
	AttributeKey   int `yaml:"attribute_key"`
	AttributeValue int `yaml:"attribute_value"`
}

// The faces that an SDK has for receiving.
const (
	// Handler: the SDK calls a handler with each delivery.
	Handler = "handler"
	// Loop: the program takes one delivery after the other, and settles them by itself.
	Loop = "loop"
)

// Subscribe begins to receive.
type Subscribe struct {
	Client     string `yaml:"client"`
	Subscriber string `yaml:"subscriber"`
	// Count makes so many of them, with a number behind their name, each with a client
	// of its own that the name of the client begins. Default: one.
	Count        int    `yaml:"count"`
	Subscription string `yaml:"subscription"`
	// Face is the SDK's face. Default: Handler.
	Face string `yaml:"face"`
	// Messages and Bytes are the window; 0: the SDK's default.
	Messages int `yaml:"messages"`
	Bytes    int `yaml:"bytes"`
	// Resizable makes it one that steps resize.
	Resizable bool `yaml:"resizable"`
	// Manual gives credit by hand: one delivery for each handler that has nothing to do,
	// and Ahead more.
	Manual bool `yaml:"manual"`
	Ahead  int  `yaml:"ahead"`
	// Concurrency is how many handlers run at once. Default: 1.
	Concurrency  int           `yaml:"concurrency"`
	Lease        time.Duration `yaml:"lease"`
	MaxExtension time.Duration `yaml:"max_extension"`
	Drain        time.Duration `yaml:"drain"`
	// Handle says what becomes of deliveries: the first rule counts that fits. Default:
	// ack.
	Handle []Rule `yaml:"handle"`
}

// Rule says what becomes of some deliveries.
type Rule struct {
	// On picks them. Default: all.
	On record.Match `yaml:"on"`
	// Do is a verdict, or "hold": wait for a settle step.
	Do string `yaml:"do"`
	// After is how long the handler works before.
	After time.Duration `yaml:"after"`
	// Delay is that of a retry.
	Delay time.Duration `yaml:"delay"`
	// Times is for how many deliveries the rule stands. Default: all.
	Times int `yaml:"times"`
}

// The verdicts of rules and settle steps.
const (
	// Ack returns from the handler, or acks in a loop.
	Ack = "ack"
	// Confirm acks and waits until that is durable.
	Confirm = "confirm"
	// Fail lets the handler fail, or retries in a loop.
	Fail = "fail"
	// Retry, Reject and Release are what they say.
	Retry   = "retry"
	Reject  = "reject"
	Release = "release"
	// Hold waits.
	Hold = "hold"
)

// Window resizes the window of a subscriber that has one that is resizable. What is sent
// then is awaited by whoever wants to know.
type Window struct {
	Subscriber string `yaml:"subscriber"`
	Messages   int    `yaml:"messages"`
	Bytes      int    `yaml:"bytes"`
}

// WindowWalk resizes a window again and again, at random, and lets handlers go on in
// between: after each size it waits until one has begun, acks some of those that hold a
// delivery, or none of them, and goes on to the next size, which is the same at times.
type WindowWalk struct {
	Subscriber string `yaml:"subscriber"`
	// Seed makes it the same walk every time.
	Seed uint64 `yaml:"seed"`
	// Times is how many sizes there are.
	Times int `yaml:"times"`
	// Messages and Bytes are the least and the most of each.
	Messages [2]int `yaml:"messages"`
	Bytes    [2]int `yaml:"bytes"`
}

// Settle lets handlers that hold deliveries go on.
type Settle struct {
	Subscriber string        `yaml:"subscriber"`
	On         record.Match  `yaml:"on"`
	Do         string        `yaml:"do"`
	Delay      time.Duration `yaml:"delay"`
	// Rest does the same with all that is begun from now on; nothing need be held.
	Rest bool `yaml:"rest"`
}

// Stop stops a subscriber as a program does that ends.
type Stop struct {
	Subscriber string `yaml:"subscriber"`
	// Held is what becomes of what is held then, and of what is begun from now on.
	// Default: nothing changes.
	Held string `yaml:"held"`
	// Background does not wait until it has stopped.
	Background bool `yaml:"background"`
}

// Server does something to the server: "terminate" (SIGTERM, in the background), "ended"
// (waits for that), "kill", "start".
type Server struct {
	Do string `yaml:"do"`
}

// Network does something to a client's network: "cut", "refuse", "hold_server",
// "hold_client", "delay", "heal".
type Network struct {
	Client string        `yaml:"client"`
	Do     string        `yaml:"do"`
	By     time.Duration `yaml:"by"`
}

// Await waits until so many events are there since the beginning.
type Await struct {
	Of record.Match `yaml:"of"`
	// Count is how many. Default: 1.
	Count int `yaml:"count"`
	// Sum is a field that is to come to Count all together, instead of the events.
	Sum string `yaml:"sum"`
	// Distinct is a field that is to have Count values, instead of the events.
	Distinct string `yaml:"distinct"`
}

// AwaitStats waits until a subscription's figures are these. Their names are those of
// Protobuf's JSON, with dots between.
type AwaitStats struct {
	Subscription string            `yaml:"subscription"`
	Are          map[string]string `yaml:"are"`
}

// Stats records a subscription's figures as an event "stats".
type Stats struct {
	Subscription string `yaml:"subscription"`
}

// Admin changes things by hand of an operator: "release_key" lets a parked key go on.
type Admin struct {
	Do           string `yaml:"do"`
	Subscription string `yaml:"subscription"`
	Key          string `yaml:"key"`
}

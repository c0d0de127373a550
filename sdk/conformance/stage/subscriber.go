package stage

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/headrace/headrace/sdk/conformance/driver"
	"github.com/headrace/headrace/sdk/conformance/record"
	"github.com/headrace/headrace/sdk/conformance/scenario"
)

// subscriber decides what becomes of the deliveries of a subscriber.
type subscriber struct {
	cast   *cast
	client string
	name   string

	mu    sync.Mutex
	began bool // it has had a delivery.
	rules []scenario.Rule
	used  []int
	// held are the deliveries that wait for a settle step, by their numbers.
	held map[int]*record.Event
	// came is closed, and made anew, when another one is held.
	came chan struct{}
}

// subscribe lets a subscriber, or several, begin.
func (c *cast) subscribe(ctx context.Context, step *scenario.Subscribe) error {
	if step.Count == 0 {
		return c.subscribeOne(ctx, step, step.Client, step.Subscriber)
	}
	for n := 1; n <= step.Count; n++ {
		number := strconv.Itoa(n)
		if err := c.connect(ctx, scenario.Connect{Client: step.Client + number}); err != nil {
			return err
		}
		if err := c.subscribeOne(ctx, step, step.Client+number, step.Subscriber+number); err != nil {
			return err
		}
	}
	return nil
}

func (c *cast) subscribeOne(ctx context.Context, step *scenario.Subscribe, clientName, name string) error {
	s := &subscriber{
		cast: c, client: clientName, name: name, rules: step.Handle, used: make([]int, len(step.Handle)),
		held: map[int]*record.Event{}, came: make(chan struct{}),
	}
	c.mu.Lock()
	c.subscribers[name] = s
	c.mu.Unlock()
	face := step.Face
	if face == "" {
		face = scenario.Handler
	}
	c.history.Record("subscribe", record.Fields{
		"client": clientName, "subscriber": name, "subscription": step.Subscription, "face": face,
		"messages": strconv.Itoa(step.Messages), "bytes": strconv.Itoa(step.Bytes),
	})
	command := driver.Command{
		Do: "subscribe", Subscriber: name, Subscription: step.Subscription, Face: face,
		Settings: &driver.Settings{
			WindowMessages: step.Messages, WindowBytes: step.Bytes, Resizable: step.Resizable, Manual: step.Manual, Ahead: step.Ahead,
			Concurrency: max(1, step.Concurrency),
			LeaseMS:     step.Lease.Milliseconds(), MaxExtensionMS: step.MaxExtension.Milliseconds(), DrainMS: step.Drain.Milliseconds(),
		},
	}
	if err := c.tell(clientName, command); err != nil {
		return err
	}
	return c.await(ctx, "subscribed", record.Fields{"subscriber": name})
}

// started records that a handler was started, and decides what it does.
func (s *subscriber) started(delivery int, e *record.Event) {
	rule := s.begin(delivery, e)
	if rule.Do == scenario.Hold {
		return
	}
	if rule.After == 0 {
		s.settle(delivery, e, rule.Do, rule.Delay)
		return
	}
	time.AfterFunc(rule.After, func() { s.settle(delivery, e, rule.Do, rule.Delay) })
}

// begin records that a delivery was started and gives the rule that fits it. One that is
// to be held is held as soon as the history has it: a step that awaited it finds it.
func (s *subscriber) begin(delivery int, e *record.Event) scenario.Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Fields["first"] = "no"
	if !s.began {
		s.began, e.Fields["first"] = true, "yes"
	}
	s.cast.history.Record(e.Kind, e.Fields)
	return s.rule(delivery, e)
}

// rule is the one that fits a delivery. The lock is held.
func (s *subscriber) rule(delivery int, e *record.Event) scenario.Rule {
	for n, rule := range s.rules {
		if rule.On.Matches(e) && (rule.Times == 0 || s.used[n] < rule.Times) {
			s.used[n]++
			if rule.Do == scenario.Hold {
				s.held[delivery] = e
				close(s.came)
				s.came = make(chan struct{})
			}
			return rule
		}
	}
	return scenario.Rule{Do: scenario.Ack}
}

// letGo settles what is held and picked, and gives how many these are.
func (s *subscriber) letGo(on record.Match, verdict string, delay time.Duration) int {
	s.mu.Lock()
	picked := map[int]*record.Event{}
	for delivery, e := range s.held {
		if on.Matches(e) {
			picked[delivery] = e
			delete(s.held, delivery)
		}
	}
	s.mu.Unlock()
	s.settleAll(picked, verdict, delay)
	return len(picked)
}

func (s *subscriber) settleAll(picked map[int]*record.Event, verdict string, delay time.Duration) {
	for _, delivery := range slices.Sorted(maps.Keys(picked)) {
		s.settle(delivery, picked[delivery], verdict, delay)
	}
}

// from lets a rule stand for all that is held, and all that comes.
func (s *subscriber) from(rule scenario.Rule) {
	s.mu.Lock()
	s.rules, s.used = []scenario.Rule{rule}, []int{0}
	s.mu.Unlock()
	s.letGo(rule.On, rule.Do, rule.Delay)
}

// settle tells the handler how to end. A driver that is gone needs no answer.
func (s *subscriber) settle(delivery int, started *record.Event, verdict string, delay time.Duration) {
	delayMS := int64(-1)
	if delay > 0 {
		delayMS = delay.Milliseconds()
	}
	fields := maps.Clone(started.Fields)
	fields["verdict"] = verdict
	s.cast.history.Record("settling", fields)
	_ = s.cast.tell(s.client, driver.Command{
		Do: "settle", Subscriber: s.name, Delivery: delivery, Verdict: verdict, DelayMS: delayMS,
	})
}

package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/headrace/headrace/faults/history"
	"github.com/headrace/headrace/sdk/go"
)

const (
	// operatorClient is the operators' number as a client.
	operatorClient = 2_000_000
	// Operators rest from restLeast to restMost between two things.
	restLeast, restMost = 50 * time.Millisecond, 500 * time.Millisecond
	// catchUpTimeout is how long an operator waits until nothing waits: an operator who does
	// not goes on all the same, and a drain takes as long as it may.
	catchUpTimeout = time.Second
	// maxOperators is how many work at once.
	maxOperators = 16
)

// operators ask the server for what subscribers do not: they seek, take snapshots, pause,
// redrive and release, each one thing after the other on a subscription of its own.
type operators struct {
	client   *headrace.Client
	address  string
	recorder *history.Recorder
	seed     uint64

	working sync.WaitGroup
	stop    chan struct{}
	once    sync.Once
	// giveUp has them stop in the middle of what they do.
	giveUp context.CancelFunc
	errs   chan error
}

func newOperators(address string, recorder *history.Recorder, seed uint64) (*operators, error) {
	c, err := headrace.Dial(context.Background(), address, headrace.WithConnectTimeout(firstConnection))
	return &operators{
		client: c, address: address, recorder: recorder, seed: seed,
		giveUp: func() {}, stop: make(chan struct{}), errs: make(chan error, maxOperators),
	}, err
}

// begin sets all of them to work.
func (o *operators) begin(ctx context.Context) {
	ctx, o.giveUp = context.WithCancel(ctx)
	for number, work := range map[uint64]func(*operator, context.Context) error{
		parkedNumber: (*operator).buries, pausedNumber: (*operator).pauses,
		pinnedNumber: (*operator).pins, soughtNumber: (*operator).seeks,
	} {
		one := &operator{
			operators: o, account: accountOf(number), random: rand.New(rand.NewPCG(o.seed, operatorClient+number)),
		}
		o.working.Go(func() {
			if err := work(one, ctx); err != nil {
				o.errs <- fmt.Errorf("%s: %w", one.account.name, err)
			}
		})
	}
	for _, work := range []func(context.Context) error{o.publishes, o.watches, o.repeats} {
		o.working.Go(func() {
			if err := work(ctx); err != nil {
				o.errs <- err
			}
		})
	}
}

// end lets all of them come to an end, and says what was wrong.
func (o *operators) end() (err error) {
	o.once.Do(func() { close(o.stop) })
	o.working.Wait()
	for len(o.errs) > 0 {
		err = errors.Join(err, <-o.errs)
	}
	return err
}

// abandon has all of them stop at once.
func (o *operators) abandon() {
	o.giveUp()
	_ = o.end() // It was said, or something else was.
	_ = o.client.Close()
}

// operator works on one subscription.
type operator struct {
	*operators
	account *account
	random  *rand.Rand
	count   uint64
}

func (o *operator) record(k history.Kind, f history.Fields) {
	f.Subscription = o.account.number
	o.recorder.Record(history.Event{Kind: k, Fields: f})
}

// rest waits a little; false when it is time to stop.
func (o *operator) rest(ctx context.Context) bool {
	select {
	case <-time.After(restLeast + time.Duration(o.random.Int64N(int64(restMost-restLeast)))):
		return true
	case <-o.stop:
		return false
	case <-ctx.Done():
		return false
	}
}

// persist makes a call until it is done, over the server's deaths.
func (o *operator) persist(ctx context.Context, what string, call func(context.Context) error) error {
	return retry(ctx, what, func() (bool, error) {
		calling, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		err := call(calling)
		return err == nil, err
	})
}

// pauses has the subscription stand still and go on, and go on in the end.
func (o *operator) pauses(ctx context.Context) error {
	for o.rest(ctx) {
		if err := o.pause(ctx, 1); err != nil {
			return err
		}
		_ = o.rest(ctx) // It goes on in any case.
		if err := o.pause(ctx, 0); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (o *operator) pause(ctx context.Context, paused uint64) error {
	o.record(history.PauseAsking, history.Fields{Paused: paused})
	err := o.persist(ctx, "pause", func(ctx context.Context) error {
		call := o.client.Subscriptions().Resume
		if paused == 1 {
			call = o.client.Subscriptions().Pause
		}
		_, err := call(ctx, o.account.name)
		return err
	})
	if err == nil {
		o.record(history.PauseTold, history.Fields{Paused: paused, Done: 1})
	}
	return err
}

// look asks what waits, and records floors.
func (o *operator) look(ctx context.Context) (waits uint64, err error) {
	o.record(history.BacklogAsking, history.Fields{})
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	stats, err := o.client.Subscriptions().Stats(calling, o.account.name)
	if err != nil {
		return 0, err
	}
	for _, p := range stats.GetPartitions() {
		o.record(history.FloorTold, history.Fields{Partition: uint64(p.GetPartition()), Offset: p.GetFloor()})
	}
	waits = stats.GetBacklog().GetMessages()
	if waits == 0 {
		o.record(history.CaughtUp, history.Fields{})
	}
	return waits, nil
}

// catchUp waits until nothing waits, or for as long as it may.
func (o *operator) catchUp(ctx context.Context) {
	end := time.Now().Add(catchUpTimeout)
	for time.Now().Before(end) {
		if waits, err := o.look(ctx); err == nil && waits == 0 || !o.rest(ctx) {
			return
		}
	}
}

// drain redrives and releases all that waits for it, and gives what waits in all accounts.
func (o *operators) drain(ctx context.Context) (left uint64, err error) {
	for i := range accounts {
		one := &operator{operators: o, account: &accounts[i]}
		if one.account.parks {
			letters, err := one.buryAll(ctx)
			if err != nil {
				return 0, err
			}
			left += uint64(letters)
		}
		waits, err := one.look(ctx)
		if err != nil {
			return 0, err
		}
		left += waits
	}
	old, err := o.lookAtIdles(ctx)
	return left + old, err
}

// waiting says how many messages wait, by subscription, and why when that is asked for.
func (o *operators) waiting(why bool) string {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	var text strings.Builder
	for s, err := range o.client.Subscriptions().List(ctx) {
		if err != nil {
			return err.Error()
		}
		stats, err := o.client.Subscriptions().Stats(ctx, s.GetName())
		n := stats.GetBacklog().GetMessages()
		if n == 0 && err == nil {
			continue
		}
		fmt.Fprintf(&text, "%s: %d ", s.GetName(), n)
		if why {
			explained, err := o.client.Subscriptions().Explain(ctx, s.GetName())
			fmt.Fprintf(&text, "%v %v\n%v\n", stats, err, explained)
		}
	}
	return text.String()
}

package main_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

const (
	killedMessages = 240
	killedServers  = 4
	// killedWait is how long all of it may take on a machine with other things to do.
	killedWait = 3 * time.Minute
)

// effects are what handlers did: how often for each message.
type effects struct {
	mu    sync.Mutex
	times map[string]map[int]int
	more  chan struct{} // of capacity 1: there is one more
}

func newEffects() *effects {
	return &effects{times: map[string]map[int]int{}, more: make(chan struct{}, 1)}
}

func (e *effects) add(sub string, message int) {
	e.mu.Lock()
	if e.times[sub] == nil {
		e.times[sub] = map[int]int{}
	}
	e.times[sub][message]++
	e.mu.Unlock()
	select {
	case e.more <- struct{}{}:
	default:
	}
}

func (e *effects) of(sub string) map[int]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.times[sub])
}

// breaks says what of a guarantee the effects on messages 1 to n break.
func breaks(guarantee string, n int, times map[int]int) (broken []string) {
	for message := 1; message <= n; message++ {
		switch got := times[message]; {
		case got == 0 && guarantee != "at-most-once":
			broken = append(broken, fmt.Sprintf("message %d is lost", message))
		case got > 1 && guarantee != "at-least-once":
			broken = append(broken, fmt.Sprintf("message %d had its effect %d times", message, got))
		}
	}
	return broken
}

func TestBreaksOfGuaranteesAreSeen(t *testing.T) {
	for _, c := range []struct {
		guarantee string
		times     map[int]int
		broken    bool
	}{
		{"at-least-once", map[int]int{1: 1, 2: 3}, false},
		{"at-least-once", map[int]int{1: 1}, true},
		{"at-most-once", map[int]int{1: 1}, false},
		{"at-most-once", map[int]int{1: 1, 2: 2}, true},
		{"exactly-once", map[int]int{1: 1, 2: 1}, false},
		{"exactly-once", map[int]int{1: 1}, true},
		{"exactly-once", map[int]int{1: 1, 2: 2}, true},
	} {
		if got := breaks(c.guarantee, 2, c.times); (len(got) > 0) != c.broken {
			t.Errorf("%s, %v: %v", c.guarantee, c.times, got)
		}
	}
}

// TestGuaranteesOverKillsOfTheServer kills the server again and again in the middle of
// handlers, which go on: at least once loses none, at most once does none twice, exactly
// once does each once.
func TestGuaranteesOverKillsOfTheServer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), killedWait)
	defer cancel()
	dir := t.TempDir() + "/data"
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	guarantees := []string{"at-least-once", "at-most-once", "exactly-once"}
	for _, g := range guarantees {
		c.ok("sub", "create", g, "--topic", "orders", "--order", "none", "--guarantee", g)
	}
	publishNumbers(ctx, t, process.Address)
	done, at := newEffects(), &address{text: process.Address}
	var running sync.WaitGroup
	for _, g := range guarantees {
		running.Go(func() { (&worker{sub: g, effects: done}).run(ctx, at) })
	}
	for kill := range killedServers {
		for len(done.of("exactly-once")) < (kill+1)*killedMessages/(killedServers+2) {
			select {
			case <-done.more:
			case <-ctx.Done():
				t.Fatalf("before kill %d: %d effects", kill, len(done.of("exactly-once")))
			}
		}
		process.Kill()
		process = serve(t, dir)
		at.set(process.Address)
	}
	c.addr = process.Address
	for _, g := range guarantees {
		for ctx.Err() == nil && c.object("sub", "info", g)["backlog_messages"] != 0.0 {
		}
	}
	cancel()
	running.Wait()
	for _, g := range guarantees {
		if broken := breaks(g, killedMessages, done.of(g)); len(broken) > 0 {
			t.Errorf("%s: %v", g, broken)
		}
	}
}

// address is where the server is.
type address struct {
	mu   sync.Mutex
	text string
}

func (a *address) set(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text = text
}

func (a *address) get() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text
}

func dial(addr string) *grpc.ClientConn {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		panic(err) // the address is one
	}
	return conn
}

func publishNumbers(ctx context.Context, t *testing.T, addr string) {
	t.Helper()
	conn := dial(addr)
	defer func() { _ = conn.Close() }()
	r := &headracev1.PublishRequest{Topic: "orders"}
	for n := range killedMessages {
		r.Messages = append(r.Messages, &headracev1.Message{Data: strconv.AppendInt(nil, int64(n)+1, 10)})
	}
	if _, err := headracev1.NewPublisherServiceClient(conn).Publish(ctx, r); err != nil {
		t.Fatal(err)
	}
}

// worker is a subscriber whose handlers do not care whether the server lives.
type worker struct {
	sub     string
	effects *effects

	id       string // of the session
	received uint64
	number   uint64

	mu   sync.Mutex
	held map[uint64]bool // by sequence: what handlers work on, or did and is not confirmed
	acks []*headracev1.SubscribeRequest_Settle
	wake chan struct{} // of capacity 1: there is something to ack
	done []uint64
}

func (w *worker) run(ctx context.Context, at *address) {
	w.held, w.wake = map[uint64]bool{}, make(chan struct{}, 1)
	for ctx.Err() == nil {
		w.session(ctx, at.get())
	}
}

// session runs one stream until it breaks.
func (w *worker) session(ctx context.Context, addr string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn := dial(addr)
	defer func() { _ = conn.Close() }()
	stream, err := headracev1.NewSubscriberServiceClient(conn).Subscribe(ctx, grpc.WaitForReady(false))
	if err != nil || stream.Send(w.open()) != nil {
		return
	}
	first, err := stream.Recv()
	if err != nil {
		return
	}
	w.opened(first.GetOpened())
	if w.grant(stream) != nil {
		return
	}
	for _, settle := range w.acks {
		if send(stream, settle) != nil {
			return
		}
	}
	frames := make(chan *headracev1.SubscribeResponse)
	go func() {
		defer close(frames)
		for {
			r, err := stream.Recv()
			if err != nil {
				return
			}
			select {
			case frames <- r:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case r, ok := <-frames:
			if !ok || w.frame(stream, r) != nil {
				return
			}
		case <-w.wake:
			if w.ack(stream) != nil {
				return
			}
		}
	}
}

type subscribeStream = grpc.BidiStreamingClient[headracev1.SubscribeRequest, headracev1.SubscribeResponse]

func send(stream subscribeStream, settle *headracev1.SubscribeRequest_Settle) error {
	return stream.Send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Settle_{Settle: settle}})
}

func (w *worker) open() *headracev1.SubscribeRequest {
	open := &headracev1.SubscribeRequest_Open{Subscription: w.sub, Window: &headracev1.SubscribeRequest_Window{Messages: new(uint64(30)), Bytes: new(uint64(1 << 20))}}
	switch w.sub {
	case "at-most-once":
		open.Replenish, open.Window = headracev1.Replenish_REPLENISH_MANUAL, nil
	case "exactly-once":
		open.Features = []headracev1.Feature{headracev1.Feature_FEATURE_RESUME}
		if w.id != "" {
			open.Resume = &headracev1.SubscribeRequest_Resume{SessionId: w.id, ReceivedThrough: w.received, Holding: w.holding()}
		}
	}
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Open_{Open: open}}
}

func (w *worker) holding() (all []*headracev1.SequenceRange) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for sequence := range w.held {
		all = append(all, &headracev1.SequenceRange{First: sequence, Last: sequence})
	}
	slices.SortFunc(all, func(a, b *headracev1.SequenceRange) int { return int(a.GetFirst()) - int(b.GetFirst()) })
	return all
}

// opened goes on with a session that was taken up again; of another one nothing is left,
// and the handlers' effects do not come about.
func (w *worker) opened(o *headracev1.SubscribeResponse_Opened) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := o.GetResumed(); r != nil {
		w.received = r.GetNextSequence() - 1
		return
	}
	w.id, w.received, w.number = o.GetSessionId(), 0, 0
	w.held, w.acks, w.done = map[uint64]bool{}, nil, nil
}

func (w *worker) grant(stream subscribeStream) error {
	if w.sub != "at-most-once" {
		return nil
	}
	return stream.Send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Grant_{
		Grant: &headracev1.SubscribeRequest_Grant{ThroughSequence: w.received + 10, ThroughBytes: 1 << 40},
	}})
}

func (w *worker) frame(stream subscribeStream, r *headracev1.SubscribeResponse) error {
	if b := r.GetBatch(); b != nil {
		for i, m := range b.GetMessages() {
			number, _ := strconv.Atoi(string(m.GetData())) // they are numbers
			w.received = b.GetFirstSequence() + uint64(i)
			w.handle(w.received, number)
		}
		return w.grant(stream)
	}
	if result := r.GetSettleResult(); result != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		for len(w.acks) > 0 && w.acks[0].GetNumber() <= result.GetConfirmedThrough() {
			for _, ranges := range w.acks[0].GetRanges() {
				delete(w.held, ranges.GetFirst())
			}
			w.acks = w.acks[1:]
		}
	}
	return nil
}

// handle works on a message for a while, on its own.
func (w *worker) handle(sequence uint64, number int) {
	if w.sub == "at-most-once" {
		w.effects.add(w.sub, number)
		return
	}
	w.mu.Lock()
	session := w.id
	w.held[sequence] = true
	w.mu.Unlock()
	time.AfterFunc(rand.N(30*time.Millisecond), func() {
		w.mu.Lock()
		mine := w.id == session && w.held[sequence]
		if mine {
			w.done = append(w.done, sequence)
		}
		w.mu.Unlock()
		if !mine {
			return
		}
		w.effects.add(w.sub, number)
		select {
		case w.wake <- struct{}{}:
		default:
		}
	})
}

// ack acks what handlers have done.
func (w *worker) ack(stream subscribeStream) error {
	w.mu.Lock()
	settle := &headracev1.SubscribeRequest_Settle{Number: w.number + 1, Verdict: headracev1.Verdict_VERDICT_ACK}
	for _, sequence := range w.done {
		settle.Ranges = append(settle.Ranges, &headracev1.SequenceRange{First: sequence, Last: sequence})
	}
	w.done = nil
	if len(settle.GetRanges()) > 0 {
		w.number++
		w.acks = append(w.acks, settle)
	}
	w.mu.Unlock()
	if len(settle.GetRanges()) == 0 {
		return nil
	}
	return send(stream, settle)
}

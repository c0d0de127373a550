package crash

import (
	"context"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/headrace/headrace/faults/history"
	"github.com/headrace/headrace/sdk/go"
)

const (
	// pulledMessages is the most that is pulled at once, pullWait how long a pull waits.
	pulledMessages = 24
	pullWait       = 300 * time.Millisecond
	// emptyPause is the longest pause after a pull that waited for nothing and got nothing.
	emptyPause = 80 * time.Millisecond
	// callTimeout bounds one call.
	callTimeout = 10 * time.Second
	// One message in rejectOneIn becomes a dead letter, where they are looked after.
	rejectOneIn = 25
	// One in gapOneIn is retried where an operator takes snapshots, so that these have gaps.
	gapOneIn = 8
	// sessionsPerAccount keeps the pulls of one client on several subscriptions apart.
	sessionsPerAccount = streamsPerClient / 32
)

// puller pulls from one subscription, and settles by tokens. Where an operator moves it
// or pauses it no pull waits: what comes to one that waited since before says nothing.
type puller struct {
	account      *account
	subscription *headrace.Subscription
	recorder     *history.Recorder
	client       uint64
	random       *rand.Rand
	calm         *calm
	pulls        uint64
}

// runPuller pulls from all subscriptions that are pulled from, and takes what comes at most
// once, until ctx ends.
func runPuller(ctx context.Context, calm *calm, r *role, recorder *history.Recorder, told io.Writer) error {
	c, err := headrace.Dial(ctx, r.Address, headrace.WithConnectTimeout(firstConnection))
	if err != nil {
		return err
	}
	conn, err := dial(r.Address)
	if err != nil {
		return err
	}
	var pulling sync.WaitGroup
	for i := range accounts {
		a := &accounts[i]
		random := rand.New(rand.NewPCG(r.Seed+r.Client, a.number))
		switch a.receiver {
		case byPull:
			p := &puller{account: a, subscription: c.Subscription(a.name), recorder: recorder, client: r.Client, random: random, calm: calm}
			pulling.Go(func() { p.run(ctx) })
		case byGrant:
			g := &granter{account: a, conn: conn, recorder: recorder, client: r.Client, random: random, told: told}
			pulling.Go(func() { g.run(ctx) })
		default:
		}
	}
	pulling.Wait()
	_ = conn.Close()
	return c.Close()
}

func (p *puller) run(ctx context.Context) {
	for ctx.Err() == nil {
		switch got, err := p.pull(ctx); {
		case err != nil:
			pause(ctx) // The server is gone.
		case got == 0 && p.account.moves:
			pauseFor(ctx, time.Duration(p.random.Int64N(int64(emptyPause))))
		}
	}
}

func (p *puller) wait() time.Duration {
	if p.account.moves {
		return 0
	}
	return pullWait
}

// pull takes what is there and settles it; n says how much it was.
func (p *puller) pull(ctx context.Context) (n int, err error) {
	p.pulls++
	session := p.client*streamsPerClient + p.account.number*sessionsPerAccount + p.pulls
	p.record(history.HandsOpening, history.Fields{Session: session, Client: p.client, Subscription: p.account.number})
	// What was asked for is taken, also when ctx ends: it would wait for its lease else.
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	got, err := p.subscription.Pull(asking, headrace.PullMessages(1+p.random.IntN(pulledMessages)), headrace.PullWait(p.wait()))
	if err != nil {
		return 0, err
	}
	tokens, sequences := map[uint64][]string{}, map[string]uint64{}
	for i, m := range got {
		sequence := uint64(i + 1)
		topic, id, whole := decodeBody(m.Data)
		if !whole {
			id = history.MessageID{}
		}
		p.record(history.Handed, history.Fields{
			Session: session, Sequence: sequence, Topic: topic, Publisher: id.Publisher, Number: id.Number,
			Partition: uint64(m.Position.Partition), Offset: m.Position.Offset, Attempt: uint64(m.Attempt),
		})
		if verdict := p.choose(m); verdict > 0 {
			tokens[verdict] = append(tokens[verdict], m.Token)
			sequences[m.Token] = sequence
		}
	}
	for verdict := history.Ack; verdict <= history.Reject; verdict++ {
		if err := p.settle(asking, session, verdict, tokens[verdict], sequences); err != nil {
			return 0, err
		}
	}
	return len(got), nil
}

// choose says what becomes of a delivery; 0: it is forgotten.
func (p *puller) choose(m *headrace.Pulled) uint64 {
	switch {
	case m.Attempt >= lastAttempt || p.calm.Load() || m.Position.Partition == history.ReplayPartition:
		return history.Ack
	case p.account.parks && p.random.IntN(rejectOneIn) == 0:
		return history.Reject
	case p.account.number == pinnedNumber && p.random.IntN(gapOneIn) == 0:
		return history.Retry
	case p.random.IntN(forgetOneIn) == 0:
		return 0
	case p.random.IntN(retryOneIn) == 0:
		return history.Retry
	case p.random.IntN(releaseOneIn) == 0:
		return history.Release
	default:
		return history.Ack
	}
}

// settle gives one verdict to some tokens.
func (p *puller) settle(ctx context.Context, session, verdict uint64, tokens []string, sequences map[string]uint64) error {
	if len(tokens) == 0 {
		return nil
	}
	hand := func(token string) history.Fields {
		return history.Fields{Session: session, Sequence: sequences[token], Verdict: verdict}
	}
	for _, token := range tokens {
		p.record(history.Answering, hand(token))
	}
	failures, err := p.send(ctx, verdict, tokens)
	if err != nil {
		return err // Nobody knows.
	}
	failed := map[string]bool{}
	for _, f := range failures {
		failed[f.Token] = true
	}
	for _, token := range tokens {
		if failed[token] {
			p.record(history.AnswerFailed, hand(token))
			continue
		}
		p.record(history.Answered, hand(token))
	}
	return nil
}

func (p *puller) send(ctx context.Context, verdict uint64, tokens []string) ([]headrace.TokenFailure, error) {
	switch verdict {
	case history.Retry:
		return p.subscription.RetryTokens(ctx, tokens)
	case history.Release:
		return p.subscription.ReleaseTokens(ctx, tokens...)
	case history.Reject:
		return p.subscription.RejectTokens(ctx, tokens, "crash", "it is this one's turn")
	default:
		return p.subscription.AckTokens(ctx, tokens...)
	}
}

func (p *puller) record(k history.Kind, f history.Fields) {
	p.recorder.Record(history.Event{Kind: k, Fields: f})
}

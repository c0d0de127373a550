package broker

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// MaxTokens is how many tokens one call names.
const MaxTokens = 1000

// TokenFailure says why a settle or extension did not reach a delivery.
type TokenFailure struct {
	Token  string
	Reason TokenReason
}

// TokenReason is why a settle or extension did not reach a delivery.
type TokenReason uint8

const (
	// TokenInvalid: it is no token of this subscription.
	TokenInvalid TokenReason = iota + 1
	// TokenStale: the delivery is settled, its lease ended, it was revoked, or the
	// server was started anew and the subscription does not deliver exactly once.
	TokenStale
	// TokenUnserved: the subscription does not serve the verdict.
	TokenUnserved
	// TokenCapped: the lease was extended, but only to the longest.
	TokenCapped
)

// tokenReasons are the state machine's reasons.
var tokenReasons = map[delivery.FailureReason]TokenReason{
	delivery.Unknown:     TokenStale,
	delivery.Stale:       TokenStale,
	delivery.NotServed:   TokenUnserved,
	delivery.LeaseCapped: TokenCapped,
}

// SettleTokens ends pulled deliveries, which is durable when it returns; its Stamp,
// Number and Ranges are not looked at. Errors: ErrSubscriptionNotFound,
// ErrInvalidField, ErrUnknownOutcome, ErrDataLoss, why the subscription ended, ctx's.
func (b *Broker) SettleTokens(ctx context.Context, name Name, tokens []string, settle *Settle) ([]TokenFailure, error) {
	return b.byTokens(ctx, name, tokens, settle.Verdict == Ack, func(ranges []SequenceRange) letter {
		e := &delivery.Settle{
			Ranges: ranges, Verdict: settle.Verdict, Delay: settle.Delay, Code: settle.Code, Reason: settle.Reason,
		}
		return letter{event: e, stamp: &e.Stamp, ranges: len(ranges)}
	})
}

// ExtendTokens prolongs the leases of pulled deliveries to duration from now; 0 means
// the lease that they were pulled with. Errors: those of SettleTokens.
func (b *Broker) ExtendTokens(ctx context.Context, name Name, tokens []string, duration time.Duration) ([]TokenFailure, error) {
	return b.byTokens(ctx, name, tokens, true, func(ranges []SequenceRange) letter {
		e := &delivery.Extend{Ranges: ranges, Duration: duration}
		return letter{event: e, stamp: &e.Stamp, ranges: len(ranges)}
	})
}

// byTokens puts a letter for each session that tokens name, and waits for all answers.
// Where messages are settled before they are sent there is nobody to ask: idle says that
// what is said changes nothing then.
func (b *Broker) byTokens(
	ctx context.Context, name Name, tokens []string, idle bool, write func([]SequenceRange) letter,
) (failures []TokenFailure, err error) {
	s, err := b.catalog.subscription(name)
	if err == nil {
		err = s.failed()
	}
	switch {
	case err != nil:
		return nil, err
	case len(tokens) == 0 || len(tokens) > MaxTokens:
		return nil, invalidField("delivery_tokens", "1 to 1,000")
	}
	bundles, failures := s.bundle(tokens)
	if idle && s.config.Load().Guarantee == AtMostOnce {
		return failures, nil
	}
	for _, u := range bundles {
		if err := u.ask(s.loop, write); err != nil {
			return nil, err
		}
	}
	for _, u := range bundles {
		answer, err := u.await(ctx, s.loop)
		if err == nil && answer.stale {
			answer, err = b.askAgain(ctx, s, u, write)
		}
		if err != nil {
			return nil, err
		}
		failures = append(failures, u.failures(answer)...)
	}
	return failures, nil
}

// bundle sorts tokens by their sessions, and gives those apart that cannot be meant.
func (s *subscription) bundle(tokens []string) (all []*tokenBundle, failures []TokenFailure) {
	bySession := map[sessionSecret]*tokenBundle{}
	for _, text := range tokens {
		t, ok := parseToken(text)
		switch {
		case !ok || t.subscription != s.id:
			failures = append(failures, TokenFailure{text, TokenInvalid})
			continue
		case t.generation != s.view().Generation:
			failures = append(failures, TokenFailure{text, TokenStale})
			continue
		}
		u := bySession[t.session]
		if u == nil {
			// capacity 1: the loop answers once each time it is asked, and never waits.
			u = &tokenBundle{session: t.session, answer: make(chan tokenAnswer, 1)}
			bySession[t.session] = u
			all = append(all, u)
		}
		u.tokens, u.texts = append(u.tokens, t), append(u.texts, text)
	}
	return all, failures
}

// tokenBundle is what one call says of the deliveries of one session.
type tokenBundle struct {
	session sessionSecret
	tokens  []token
	texts   []string
	// number is that of the settle in its session; owner loop only.
	number uint64
	answer chan tokenAnswer
}

// tokenAnswer says what became of a bundle.
type tokenAnswer struct {
	failures []SettleFailure
	// stale says that the session is not there.
	stale bool
	err   error
}

// ranges are the sequences that the tokens name.
func (u *tokenBundle) ranges() (all []SequenceRange) {
	sequences := make([]uint64, len(u.tokens))
	for i := range u.tokens {
		sequences[i] = u.tokens[i].sequence
	}
	slices.SortFunc(sequences, cmp.Compare)
	for _, n := range slices.Compact(sequences) {
		if last := len(all) - 1; last >= 0 && all[last].Last+1 == n {
			all[last].Last = n
			continue
		}
		all = append(all, SequenceRange{First: n, Last: n})
	}
	return all
}

// ask puts what is said of the bundle into the subscription's mailbox.
func (u *tokenBundle) ask(l *loop, write func([]SequenceRange) letter) error {
	x := write(u.ranges())
	x.bundle = u
	return l.mailbox.put(x)
}

// await waits for what became of the bundle.
func (u *tokenBundle) await(ctx context.Context, l *loop) (tokenAnswer, error) {
	select {
	case a := <-u.answer:
		return a, a.err
	case <-l.done:
		return tokenAnswer{}, l.fate
	case <-ctx.Done():
		return tokenAnswer{}, ctx.Err()
	}
}

// failures says of each token why it failed.
func (u *tokenBundle) failures(a tokenAnswer) (all []TokenFailure) {
	for i := range u.tokens {
		if a.stale {
			all = append(all, TokenFailure{u.texts[i], TokenStale})
			continue
		}
		for _, f := range a.failures {
			if n := u.tokens[i].sequence; f.Range.First <= n && n <= f.Range.Last {
				all = append(all, TokenFailure{u.texts[i], tokenReasons[f.Reason]})
				break
			}
		}
	}
	return all
}

// address gives a letter by tokens its number, or answers it when its session is not
// there. Loop only, like all that follows.
func (l *loop) address(x *letter) {
	u := x.bundle
	s := l.pulled(u.session.id())
	if s == nil {
		x.stamp.Session = 0 // there is none
		u.answer <- tokenAnswer{stale: true}
		return
	}
	x.stamp.Session, x.stamp.Incarnation = s.owned.handle, s.owned.incarnation
	s.owned.number++
	u.number = s.owned.number
	switch e := x.event.(type) {
	case *delivery.Settle:
		e.Number = u.number
	case *delivery.Extend:
		e.Number = u.number
	}
	s.owned.bundles = append(s.owned.bundles, u)
}

// confirm answers what is durable now.
func (s *Session) confirm(e *delivery.SettleResult) {
	done := 0
	for _, u := range s.owned.bundles {
		if u.number > e.ConfirmedThrough {
			break
		}
		var a tokenAnswer
		for _, f := range e.Failures {
			if f.Number == u.number {
				a.failures = append(a.failures, f)
			}
		}
		u.answer <- a
		done++
	}
	s.owned.bundles = slices.Delete(s.owned.bundles, 0, done)
}

// abandon answers what will not be known any more.
func (s *Session) abandon(err error) {
	for _, u := range s.owned.bundles {
		u.answer <- tokenAnswer{err: err}
	}
	s.owned.bundles = nil
}

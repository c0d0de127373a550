package headrace

import (
	"context"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/protobuf/types/known/durationpb"
)

// tokensPerCall is how many tokens one call of the server takes.
const tokensPerCall = 1000

// Pulled is a message that was pulled: it is held until it is settled by its Token, by
// whoever has it, or until its lease ends, which charges an attempt. Nothing extends it
// by itself.
type Pulled struct {
	// Message is the message as it was published.
	Message

	// ID is the message's id: that of [PublishResult.Get].
	ID MessageID
	// Position is where the message stands in the topic's log.
	Position Position
	// PublishTime is when the server received the message, by its wall clock.
	PublishTime time.Time
	// Attempt is which attempt this is, from 1.
	Attempt int
	// Token names the delivery: opaque, at most 170 bytes.
	Token string
}

// PullOption changes what a pull asks for.
type PullOption func(*headracev1.PullRequest)

// PullMessages is the most to pull, 1 to 1,000; more fails with [ErrInvalidField]. Default,
// and with 0 or less: 100.
func PullMessages(n int) PullOption {
	return func(r *headracev1.PullRequest) { r.MaxMessages = uint32(max(n, 0)) }
}

// PullBytes is the most bytes of encoded messages; a larger message comes alone. Default,
// and with 0 or less: what an answer holds, 4 MiB less 64 KiB.
func PullBytes(n int) PullOption {
	return func(r *headracev1.PullRequest) { r.MaxBytes = uint64(max(n, 0)) }
}

// PullWait is how long to wait for a first message, 0 to 60 s; another one fails with
// [ErrInvalidField]. Default: 10 s; and never beyond the context's deadline.
func PullWait(d time.Duration) PullOption {
	return func(r *headracev1.PullRequest) { r.Wait = durationpb.New(d) }
}

// PullLease is the lease of what is pulled, 1 s to 12 h; another one fails with
// [ErrInvalidField]. Default: the subscription's.
func PullLease(d time.Duration) PullOption {
	return func(r *headracev1.PullRequest) { r.Lease = durationpb.New(d) }
}

// Pull takes what is at hand, or waits for something; nothing is no error. It needs no
// stream, and suits programs that are short, or cannot keep one: where you can,
// [Subscription.Receive] is cheaper, extends leases, and loses no attempt to an answer
// that is lost. The pulls of one client stand side by side on an exclusive subscription
// when they have the same [WithClientID]. Errors: [ErrInvalidName], [ErrInvalidField],
// [ErrSubscriptionNotFound], [ErrSubscriptionDeleted], [ErrExclusiveSessionExists],
// [ErrTakenOver], [ErrLimitReached], [ErrDraining], [ErrDataLoss], ctx's.
func (s *Subscription) Pull(ctx context.Context, opts ...PullOption) ([]*Pulled, error) {
	request := &headracev1.PullRequest{Subscription: s.name, ClientId: s.client.config.clientID}
	for _, o := range opts {
		o(request)
	}
	r, err := s.rpc().Pull(ctx, request)
	if err != nil {
		return nil, translate(err)
	}
	all := make([]*Pulled, 0, len(r.GetMessages()))
	for _, m := range r.GetMessages() {
		all = append(all, pulledOf(m))
	}
	return all, nil
}

func pulledOf(m *headracev1.PulledMessage) *Pulled {
	from := m.GetMessage()
	return &Pulled{
		Message: Message{
			Data: from.GetData(), Attributes: from.GetAttributes(),
			OrderingKey: from.GetOrderingKey(), ContentType: from.GetContentType(),
		},
		ID:          MessageID(from.GetMessageId()),
		Position:    Position{Partition: m.GetPosition().GetPartition(), Offset: m.GetPosition().GetOffset()},
		PublishTime: from.GetPublishTime().AsTime(),
		Attempt:     int(m.GetAttempt()),
		Token:       m.GetDeliveryToken(),
	}
}

func (s *Subscription) rpc() headracev1.SubscriberServiceClient {
	return headracev1.NewSubscriberServiceClient(s.client.conn)
}

// TokenFailure says why a token reached nothing.
type TokenFailure struct {
	// Token is the token.
	Token string
	// Err is [ErrStaleDelivery], [ErrInvalidToken] or [ErrNotServed]; of an extension
	// also [ErrLeaseCapped], when it was cut at the longest lease.
	Err error
}

// AckTokens settles pulled deliveries as done, durably when it returns. Tokens that
// reach nothing fail by themselves. Errors: [ErrInvalidName], [ErrSubscriptionNotFound],
// [ErrUnknownOutcome], [ErrDraining], [ErrDataLoss], ctx's; then some may be settled.
func (s *Subscription) AckTokens(ctx context.Context, tokens ...string) ([]TokenFailure, error) {
	return s.settleTokens(ctx, tokens, ackVerdict)
}

// RetryTokens settles pulled deliveries as failed. Errors: those of AckTokens.
func (s *Subscription) RetryTokens(ctx context.Context, tokens []string, opts ...RetryOption) ([]TokenFailure, error) {
	return s.settleTokens(ctx, tokens, retryVerdict(opts))
}

// RejectTokens sends pulled deliveries to the dead letters, with a code and a reason of
// at most 255 and 1,024 bytes, cut there. Errors: those of AckTokens.
func (s *Subscription) RejectTokens(ctx context.Context, tokens []string, code, reason string) ([]TokenFailure, error) {
	return s.settleTokens(ctx, tokens, rejectVerdict(code, reason))
}

// ReleaseTokens gives pulled deliveries back untouched. Errors: those of AckTokens.
func (s *Subscription) ReleaseTokens(ctx context.Context, tokens ...string) ([]TokenFailure, error) {
	return s.settleTokens(ctx, tokens, releaseVerdict)
}

// ExtendTokens moves the end of the leases of pulled deliveries to d from now, 1 s to
// 12 h; 0 means the lease that they were pulled with. Errors: those of AckTokens.
func (s *Subscription) ExtendTokens(ctx context.Context, d time.Duration, tokens ...string) ([]TokenFailure, error) {
	return eachTokens(tokens, func(some []string) ([]*headracev1.TokenFailure, error) {
		request := &headracev1.ExtendRequest{Subscription: s.name, DeliveryTokens: some}
		if d != 0 {
			request.Duration = durationpb.New(d)
		}
		r, err := s.rpc().Extend(ctx, request)
		return r.GetFailures(), err
	})
}

func (s *Subscription) settleTokens(ctx context.Context, tokens []string, v verdict) ([]TokenFailure, error) {
	return eachTokens(tokens, func(some []string) ([]*headracev1.TokenFailure, error) {
		request := &headracev1.SettleRequest{
			Subscription: s.name, DeliveryTokens: some, Verdict: v.kind, Code: v.code, Reason: v.reason,
		}
		if v.delayed {
			request.Delay = durationpb.New(v.delay)
		}
		r, err := s.rpc().Settle(ctx, request)
		return r.GetFailures(), err
	})
}

// eachTokens makes a call for each tokensPerCall tokens, until one fails.
func eachTokens(tokens []string, call func([]string) ([]*headracev1.TokenFailure, error)) (all []TokenFailure, err error) {
	for len(tokens) > 0 {
		n := min(len(tokens), tokensPerCall)
		failures, err := call(tokens[:n])
		if err != nil {
			return all, translate(err)
		}
		for _, f := range failures {
			all = append(all, TokenFailure{Token: f.GetDeliveryToken(), Err: itemError(f.GetReason())})
		}
		tokens = tokens[n:]
	}
	return all, nil
}

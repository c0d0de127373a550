package headrace

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// MoveSessions asks a subscription's session with a name of its statistics, or all of
// them when it is empty, to leave their streams within a grace of at most 12 h, and
// returns how many were asked. Clients that resume go on over another stream, with all
// that they hold; others work off what they hold. Nothing is charged. Errors:
// [ErrInvalidName], [ErrInvalidField], [ErrSubscriptionNotFound], [ErrSessionNotFound].
func (s *Subscriptions) MoveSessions(ctx context.Context, name, session string, grace time.Duration) (uint64, error) {
	r, err := s.rpc.MoveSessions(ctx, &headracev1.MoveSessionsRequest{
		Subscription: name, Session: session, Grace: durationpb.New(grace),
	})
	return r.GetSessions(), translate(err)
}

package server

import (
	"context"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// MoveSessions asks sessions to leave their streams.
func (s *subscriptionService) MoveSessions(
	ctx context.Context, r *headracev1.MoveSessionsRequest,
) (*headracev1.MoveSessionsResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	grace, err := duration("grace", r.GetGrace(), 0, maxDelay, defaultGrace)
	if err != nil {
		return nil, err
	}
	sessions, err := s.broker.MoveSessions(ctx, name, r.GetSession(), grace)
	if err != nil {
		return nil, err
	}
	return &headracev1.MoveSessionsResponse{Sessions: uint64(sessions)}, nil
}

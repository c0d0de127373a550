package server

import (
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

// maxSessionIDBytes is what the contract says of Opened.session_id.
const maxSessionIDBytes = 64

// resumeOf reads which session a client takes up again, and what it has of it; nil
// when it begins a new one.
func resumeOf(r *headracev1.SubscribeRequest_Resume) (*broker.Resume, error) {
	if r == nil {
		return nil, nil //nolint:nilnil // no resume is no error
	}
	if n := len(r.GetSessionId()); n == 0 || n > maxSessionIDBytes {
		return nil, invalidField("resume.session_id", "1 to 64 bytes")
	}
	holding, err := anyRanges("resume.holding", r.GetHolding())
	if err != nil {
		return nil, err
	}
	for _, h := range holding {
		if h.Last > r.GetReceivedThrough() {
			return nil, invalidField("resume.holding", "nothing after received_through")
		}
	}
	return &broker.Resume{SessionID: r.GetSessionId(), ReceivedThrough: r.GetReceivedThrough(), Holding: holding}, nil
}

// resumedProto tells what a session still has; nil for a new one.
func resumedProto(r *broker.Resumed) *headracev1.SubscribeResponse_Resumed {
	if r == nil {
		return nil
	}
	return &headracev1.SubscribeResponse_Resumed{
		Kept: rangesProto(r.Kept), NextSequence: r.NextSequence, ChargedBytes: r.ChargedBytes,
	}
}

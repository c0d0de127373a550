package cli

import (
	"strings"
	"time"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// flowExplanationView is why deliveries of a subscription flow or do not.
type flowExplanationView struct {
	BacklogMessages     uint64                  `json:"backlog_messages"`
	OutstandingMessages uint64                  `json:"outstanding_messages"`
	WaitingMessages     uint64                  `json:"waiting_messages"`
	FreshMessages       uint64                  `json:"fresh_messages"`
	Paused              bool                    `json:"paused"`
	BlockedBy           []string                `json:"blocked_by"`
	RateLimitedUntil    *time.Time              `json:"rate_limited_until,omitempty"`
	NextRetryTime       *time.Time              `json:"next_retry_time,omitempty"`
	Oldest              *messageExplanationView `json:"oldest,omitempty"`
	Sessions            []sessionView           `json:"sessions"`
}

func viewFlowExplanation(e *headracev1.ExplainSubscriptionResponse) flowExplanationView {
	v := flowExplanationView{
		BacklogMessages: e.GetBacklog().GetMessages(), OutstandingMessages: e.GetOutstanding().GetMessages(),
		WaitingMessages: e.GetWaiting(), FreshMessages: e.GetFresh(), Paused: e.GetPaused(),
		RateLimitedUntil: timeOf(e.GetRateLimitedUntil()), NextRetryTime: timeOf(e.GetNextRetryTime()), Sessions: []sessionView{},
	}
	for _, s := range e.GetSessions() {
		v.Sessions = append(v.Sessions, viewSession(s))
	}
	v.BlockedBy = causes(v.Sessions)
	if e.GetOldest() != nil {
		oldest := viewMessageExplanation(e.GetOldest())
		v.Oldest = &oldest
	}
	return v
}

var flowExplanationColumns = []output.Column[flowExplanationView]{
	{Head: "WHY NOTHING COMES", Cell: flowExplanationView.why},
	{Head: "BACKLOG", Cell: func(v flowExplanationView) string {
		return output.Count(v.BacklogMessages) + " messages: " + output.Count(v.OutstandingMessages) + " outstanding, " +
			output.Count(v.WaitingMessages) + " waiting, " + output.Count(v.FreshMessages) + " fresh"
	}},
	{Head: "NEXT RETRY", Cell: func(v flowExplanationView) string { return dueText(v.NextRetryTime) }},
	{Head: "RATE LIMITED UNTIL", Cell: func(v flowExplanationView) string { return dueText(v.RateLimitedUntil) }},
	{Head: "SESSIONS", Cell: func(v flowExplanationView) string { return blockedSessionsText(v.Sessions) }},
	{Head: "OLDEST", Cell: func(v flowExplanationView) string { return v.oldest() }},
}

// why names the causes, the subscription's own first.
func (v flowExplanationView) why() string {
	all := v.BlockedBy
	if v.Paused && len(v.Sessions) == 0 {
		all = append([]string{"paused"}, all...)
	}
	if len(all) == 0 {
		return "it flows"
	}
	return strings.Join(all, ", ")
}

func (v flowExplanationView) oldest() string {
	if v.Oldest == nil {
		return "none: everything is settled"
	}
	return messageExplanationColumns[0].Cell(*v.Oldest) + " is " + v.Oldest.text()
}

// blockedSessionsText says for each session what it holds and what holds it back.
func blockedSessionsText(sessions []sessionView) string {
	var parts []string
	for _, s := range sessions {
		name := s.Session
		if s.ClientID != "" {
			name += " (" + s.ClientID + ")"
		}
		text := name + " holds " + output.Count(s.OutstandingMessages)
		if len(s.BlockedBy) > 0 {
			text += ": " + strings.Join(s.BlockedBy, ", ")
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

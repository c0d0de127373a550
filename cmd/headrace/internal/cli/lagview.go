package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// lagView is one line of `lag`: a subscription and its flow.
type lagView struct {
	Subscription string `json:"subscription"`
	Topic        string `json:"topic"`
	flowView
}

// flowView is how far a subscription is behind, and why.
type flowView struct {
	BacklogMessages     uint64        `json:"backlog_messages"`
	BacklogBytes        uint64        `json:"backlog_bytes"`
	OutstandingMessages uint64        `json:"outstanding_messages"`
	OutstandingBytes    uint64        `json:"outstanding_bytes"`
	OldestAgeSeconds    float64       `json:"oldest_age_seconds"`
	BlockedBy           []string      `json:"blocked_by"`
	Sessions            []sessionView `json:"sessions"`
}

// sessionView is one open session of a subscription.
type sessionView struct {
	Session             string            `json:"session"`
	ClientID            string            `json:"client_id"`
	Labels              map[string]string `json:"labels,omitempty"`
	OpenTime            time.Time         `json:"open_time"`
	CreditMessages      uint64            `json:"credit_messages"`
	CreditBytes         uint64            `json:"credit_bytes"`
	OutstandingMessages uint64            `json:"outstanding_messages"`
	OutstandingBytes    uint64            `json:"outstanding_bytes"`
	BlockedBy           []string          `json:"blocked_by"`
	Delivered           uint64            `json:"delivered"`
	Acked               uint64            `json:"acked"`
	ResumableForSeconds float64           `json:"resumable_for_seconds,omitempty"`
}

// noSession is why nothing is delivered when nobody subscribes, away why to a session
// whose stream broke and that waits to be taken up again.
const (
	noSession = "no_session"
	away      = "away"
)

func viewLag(s *headracev1.Subscription, stats *headracev1.SubscriptionStats) lagView {
	return lagView{Subscription: s.GetName(), Topic: s.GetTopic(), flowView: viewFlow(stats)}
}

func viewFlow(stats *headracev1.SubscriptionStats) flowView {
	v := flowView{
		BacklogMessages:     stats.GetBacklog().GetMessages(),
		BacklogBytes:        stats.GetBacklog().GetBytes(),
		OutstandingMessages: stats.GetOutstanding().GetMessages(),
		OutstandingBytes:    stats.GetOutstanding().GetBytes(),
		OldestAgeSeconds:    stats.GetOldestUnackedAge().AsDuration().Seconds(),
		Sessions:            []sessionView{},
	}
	for _, session := range stats.GetSessions() {
		v.Sessions = append(v.Sessions, viewSession(session))
	}
	v.BlockedBy = causes(v.Sessions)
	return v
}

func viewSession(s *headracev1.SessionStats) sessionView {
	v := sessionView{
		Session:             s.GetSession(),
		ClientID:            s.GetClientId(),
		Labels:              s.GetLabels(),
		OpenTime:            s.GetOpenTime().AsTime(),
		CreditMessages:      s.GetCredit().GetMessages(),
		CreditBytes:         s.GetCredit().GetBytes(),
		OutstandingMessages: s.GetOutstanding().GetMessages(),
		OutstandingBytes:    s.GetOutstanding().GetBytes(),
		BlockedBy:           []string{},
		Delivered:           s.GetDelivered(),
		Acked:               s.GetAcked(),
	}
	if s.GetResumableFor() != nil {
		v.ResumableForSeconds = s.GetResumableFor().AsDuration().Seconds()
		v.BlockedBy = append(v.BlockedBy, away)
	}
	for _, b := range s.GetBlockedBy() {
		v.BlockedBy = append(v.BlockedBy, shortEnum(b.String(), "BLOCKED_BY_"))
	}
	return v
}

// causes are the reasons why nothing comes to any session, the most common
// first; empty while deliveries flow to at least one.
func causes(sessions []sessionView) []string {
	if len(sessions) == 0 {
		return []string{noSession}
	}
	times := map[string]int{}
	for _, s := range sessions {
		if len(s.BlockedBy) == 0 {
			return []string{}
		}
		for _, cause := range s.BlockedBy {
			times[cause]++
		}
	}
	var names []string
	for cause := range times {
		names = append(names, cause)
	}
	slices.SortFunc(names, func(a, b string) int {
		if times[a] != times[b] {
			return times[b] - times[a]
		}
		return strings.Compare(a, b)
	})
	return names
}

// past reports whether a limit is exceeded; a limit of 0 is none.
func (v flowView) past(messages uint64, age time.Duration) bool {
	return (messages > 0 && v.BacklogMessages > messages) || (age > 0 && v.OldestAgeSeconds > age.Seconds())
}

var lagColumns = append([]output.Column[lagView]{
	{Head: "SUBSCRIPTION", Cell: func(v lagView) string { return v.Subscription }},
	{Head: "TOPIC", Cell: func(v lagView) string { return v.Topic }},
}, embed(flowColumns, func(v lagView) flowView { return v.flowView })...)

var flowColumns = []output.Column[flowView]{
	{Head: "BACKLOG", Right: true, Cell: func(v flowView) string { return output.Count(v.BacklogMessages) }},
	{Head: "BYTES", Right: true, Cell: func(v flowView) string { return output.Size(v.BacklogBytes) }},
	{Head: "OUTSTANDING", Right: true, Cell: func(v flowView) string { return output.Count(v.OutstandingMessages) }},
	{Head: "OLDEST", Right: true, Cell: func(v flowView) string { return secondsText(v.OldestAgeSeconds) }},
	{Head: "SESSIONS", Cell: func(v flowView) string { return sessionsText(v.Sessions) }},
	{Head: "WHY NOTHING COMES", Cell: func(v flowView) string { return strings.Join(v.BlockedBy, ", ") }},
}

// sessionsText counts the sessions and says for each one with a name what it
// holds.
func sessionsText(sessions []sessionView) string {
	var named []string
	for _, s := range sessions {
		if s.ClientID != "" {
			named = append(named, fmt.Sprintf("%s holds %s", s.ClientID, output.Count(s.OutstandingMessages)))
		}
	}
	if len(named) == 0 {
		return output.Count(len(sessions))
	}
	return output.Count(len(sessions)) + " (" + strings.Join(named, ", ") + ")"
}

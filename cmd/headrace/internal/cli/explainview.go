package cli

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// messageExplanationView is where a message stands.
type messageExplanationView struct {
	Partition   uint32              `json:"partition"`
	Offset      uint64              `json:"offset"`
	Standing    string              `json:"standing"`
	Attempt     uint32              `json:"attempt,omitempty"`
	Failed      uint32              `json:"failed"`
	Expired     uint32              `json:"expired"`
	Lost        uint32              `json:"lost"`
	Failures    []deadFailureView   `json:"failures"`
	Holder      *holderView         `json:"holder,omitempty"`
	DueTime     *time.Time          `json:"due_time,omitempty"`
	Ahead       uint64              `json:"ahead,omitempty"`
	Key         *keyExplanationView `json:"key,omitempty"`
	DeadLetter  uint64              `json:"dead_letter,omitempty"`
	MoreLetters bool                `json:"more_dead_letters,omitempty"`
	Forward     *forwardView        `json:"forward,omitempty"`
}

// holderView is the session that holds a message.
type holderView struct {
	Session  string    `json:"session"`
	ClientID string    `json:"client_id"`
	Sequence uint64    `json:"sequence"`
	Since    time.Time `json:"since"`
	Started  bool      `json:"started"`
	LeaseEnd time.Time `json:"lease_end"`
}

func viewMessageExplanation(e *headracev1.MessageExplanation) messageExplanationView {
	v := messageExplanationView{
		Partition: e.GetPosition().GetPartition(), Offset: e.GetPosition().GetOffset(),
		Standing: shortEnum(e.GetStanding().String(), "MESSAGE_STANDING_"),
		Attempt:  e.GetAttempt(), Failed: e.GetFailed(), Expired: e.GetExpired(), Lost: e.GetLost(),
		Failures: viewFailures(e.GetFailures()), DueTime: timeOf(e.GetDueTime()), Ahead: e.GetAhead(), DeadLetter: e.GetDeadLetter(),
		Forward: viewForward(e.GetForward()), MoreLetters: e.GetMoreDeadLetters(),
	}
	if h := e.GetHolder(); h != nil {
		v.Holder = &holderView{
			Session: h.GetSession(), ClientID: h.GetClientId(), Sequence: h.GetSequence(),
			Since: h.GetSince().AsTime(), Started: h.GetStarted(), LeaseEnd: h.GetLeaseEnd().AsTime(),
		}
	}
	if e.GetKey() != nil {
		key := viewKeyExplanation(e.GetKey())
		v.Key = &key
	}
	return v
}

// timeOf is a time, nil when there is none.
func timeOf(t *timestamppb.Timestamp) *time.Time {
	if t == nil {
		return nil
	}
	at := t.AsTime()
	return &at
}

func dueText(t *time.Time) string {
	if t == nil {
		return ""
	}
	return timeText(*t)
}

var messageExplanationColumns = []output.Column[messageExplanationView]{
	{Head: "MESSAGE", Cell: func(v messageExplanationView) string { return fmt.Sprintf("%d-%d", v.Partition, v.Offset) }},
	{Head: "STANDS", Cell: messageExplanationView.text},
	{Head: "ATTEMPT", Cell: func(v messageExplanationView) string { return output.Count(v.Attempt) }},
	{Head: "FAILED", Cell: func(v messageExplanationView) string {
		return fmt.Sprintf("%d failed, %d expired, %d lost", v.Failed, v.Expired, v.Lost)
	}},
	{Head: "LAST FAILURE", Cell: func(v messageExplanationView) string { return lastFailure(v.Failures) }},
	{Head: "DUE", Cell: func(v messageExplanationView) string { return dueText(v.DueTime) }},
}

// text says where a message stands, and why.
func (v messageExplanationView) text() string {
	standing := strings.ReplaceAll(v.Standing, "_", " ")
	switch {
	case v.Holder != nil:
		return standing + ": " + v.Holder.text()
	case v.Forward != nil:
		return standing + " " + output.Count(v.DeadLetter) + ", forwarded: " + v.Forward.text()
	case v.DeadLetter > 0:
		return standing + " " + output.Count(v.DeadLetter)
	case v.MoreLetters:
		return standing + ", or a dead letter that is not among the first 1,000,000"
	case v.Key != nil:
		return standing + ": " + v.Key.text()
	case v.Ahead > 0:
		return standing + ", " + output.Count(v.Ahead) + " ahead of it"
	}
	return standing
}

func (h *holderView) text() string {
	name := h.Session
	if h.ClientID != "" {
		name += " (" + h.ClientID + ")"
	}
	work := "waits there"
	if h.Started {
		work = "is worked on"
	}
	return fmt.Sprintf("%s has it since %s, it %s; its lease ends %s", name, timeText(h.Since), work, timeText(h.LeaseEnd))
}

// keyExplanationView is how an ordering key stands in one partition.
type keyExplanationView struct {
	Partition   uint32     `json:"partition"`
	Busy        bool       `json:"busy"`
	Parked      bool       `json:"parked"`
	Session     string     `json:"session,omitempty"`
	Outstanding uint64     `json:"outstanding"`
	NextOffset  *uint64    `json:"next_offset,omitempty"`
	NextDueTime *time.Time `json:"next_due_time,omitempty"`
	Waiting     uint64     `json:"waiting"`
}

func viewKeyExplanation(e *headracev1.KeyExplanation) keyExplanationView {
	return keyExplanationView{
		Partition: e.GetPartition(), Busy: e.GetBusy(), Parked: e.GetParked(), Session: e.GetSession(),
		Outstanding: e.GetOutstanding(), NextOffset: e.NextOffset, NextDueTime: timeOf(e.GetNextDueTime()), Waiting: e.GetWaiting(),
	}
}

var keyExplanationColumns = []output.Column[keyExplanationView]{
	{Head: "PARTITION", Right: true, Cell: func(v keyExplanationView) string { return output.Count(v.Partition) }},
	{Head: "KEY", Cell: func(v keyExplanationView) string { return v.text() }},
	{Head: "WAITING", Right: true, Cell: func(v keyExplanationView) string { return output.Count(v.Waiting) }},
	{Head: "NEXT DUE", Cell: func(v keyExplanationView) string { return dueText(v.NextDueTime) }},
}

// text says how a key stands.
func (v *keyExplanationView) text() string {
	switch {
	case v.Parked:
		return "parked until it is released"
	case v.Outstanding > 0:
		return fmt.Sprintf("%s holds %d of it", v.Session, v.Outstanding)
	case v.NextOffset != nil:
		return fmt.Sprintf("%d-%d goes next", v.Partition, *v.NextOffset)
	}
	return "free"
}

// sessionExplanationView is what a session holds, and what holds it back.
type sessionExplanationView struct {
	sessionView
	BlockedSince *time.Time         `json:"blocked_since,omitempty"`
	Away         bool               `json:"away"`
	AwayUntil    *time.Time         `json:"away_until,omitempty"`
	Holding      []heldDeliveryView `json:"holding"`
}

// heldDeliveryView is a delivery that a session holds.
type heldDeliveryView struct {
	Sequence  uint64    `json:"sequence"`
	Partition uint32    `json:"partition"`
	Offset    uint64    `json:"offset"`
	Since     time.Time `json:"since"`
	Started   bool      `json:"started"`
	LeaseEnd  time.Time `json:"lease_end"`
}

func viewSessionExplanation(e *headracev1.ExplainSessionResponse) sessionExplanationView {
	v := sessionExplanationView{
		sessionView: viewSession(e.GetStats()), BlockedSince: timeOf(e.GetBlockedSince()),
		Away: e.GetAway(), AwayUntil: timeOf(e.GetAwayUntil()), Holding: []heldDeliveryView{},
	}
	for _, h := range e.GetHolding() {
		v.Holding = append(v.Holding, heldDeliveryView{
			Sequence: h.GetSequence(), Partition: h.GetPosition().GetPartition(), Offset: h.GetPosition().GetOffset(),
			Since: h.GetSince().AsTime(), Started: h.GetStarted(), LeaseEnd: h.GetLeaseEnd().AsTime(),
		})
	}
	return v
}

// shownHeld is how many deliveries of a session the table shows.
const shownHeld = 10

var sessionExplanationColumns = []output.Column[sessionExplanationView]{
	{Head: "SESSION", Cell: func(v sessionExplanationView) string { return v.Session }},
	{Head: "CLIENT", Cell: func(v sessionExplanationView) string { return v.ClientID }},
	{Head: "OPENED", Cell: func(v sessionExplanationView) string { return timeText(v.OpenTime) }},
	{Head: "STREAM", Cell: func(v sessionExplanationView) string {
		if v.Away {
			return "broken, may come back until " + dueText(v.AwayUntil)
		}
		return "open"
	}},
	{Head: "CREDIT", Cell: func(v sessionExplanationView) string { return amountText(v.CreditMessages, v.CreditBytes) }},
	{Head: "WHY NOTHING COMES", Cell: func(v sessionExplanationView) string { return strings.Join(v.BlockedBy, ", ") }},
	{Head: "OUTSTANDING", Cell: func(v sessionExplanationView) string { return amountText(v.OutstandingMessages, v.OutstandingBytes) }},
	{Head: "HOLDS", Cell: sessionExplanationView.holds},
}

// holds lists the first deliveries that a session holds.
func (v sessionExplanationView) holds() string {
	var parts []string
	for _, h := range v.Holding[:min(len(v.Holding), shownHeld)] {
		parts = append(parts, fmt.Sprintf("%d-%d", h.Partition, h.Offset))
	}
	if len(v.Holding) > shownHeld {
		parts = append(parts, "…")
	}
	return strings.Join(parts, " ")
}

package cli

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// deadLetterView is a dead letter as the command line shows it.
type deadLetterView struct {
	Sequence  uint64            `json:"sequence"`
	MessageID string            `json:"message_id"`
	Key       string            `json:"ordering_key,omitempty"`
	Bytes     uint64            `json:"bytes"`
	DeadTime  time.Time         `json:"dead_time"`
	LogTime   time.Time         `json:"log_time"`
	Reason    string            `json:"reason"`
	Failed    uint32            `json:"failed"`
	Expired   uint32            `json:"expired"`
	Lost      uint32            `json:"lost"`
	Failures  []deadFailureView `json:"failures"`
	Forward   *forwardView      `json:"forward,omitempty"`
}

// deadFailureView is one delivery that came to nothing.
type deadFailureView struct {
	Time     time.Time `json:"time"`
	Kind     string    `json:"kind"`
	ClientID string    `json:"client_id,omitempty"`
	Code     string    `json:"code,omitempty"`
	Reason   string    `json:"reason,omitempty"`
}

func viewDeadLetter(d *headracev1.DeadLetter) deadLetterView {
	return deadLetterView{
		Sequence:  d.GetSequence(),
		MessageID: d.GetMessage().GetMessageId(),
		Key:       d.GetMessage().GetOrderingKey(),
		Bytes:     d.GetMessageBytes(),
		DeadTime:  d.GetDeadTime().AsTime(),
		LogTime:   d.GetLogTime().AsTime(),
		Reason:    strings.ReplaceAll(shortEnum(d.GetReason().String(), "DEAD_LETTER_REASON_"), "_", "-"),
		Failed:    d.GetFailed(),
		Expired:   d.GetExpired(),
		Lost:      d.GetLost(),
		Failures:  viewFailures(d.GetFailures()),
		Forward:   viewForward(d.GetForward()),
	}
}

func viewFailures(all []*headracev1.DeliveryFailure) []deadFailureView {
	views := []deadFailureView{}
	for _, f := range all {
		views = append(views, deadFailureView{
			Time: f.GetTime().AsTime(), Kind: shortEnum(f.GetKind().String(), "DELIVERY_FAILURE_KIND_"),
			ClientID: f.GetClientId(), Code: f.GetCode(), Reason: f.GetReason(),
		})
	}
	return views
}

// last is the latest failure, in words.
func (v deadLetterView) last() string { return lastFailure(v.Failures) }

func lastFailure(all []deadFailureView) string {
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].text()
}

func (f deadFailureView) text() string {
	parts := []string{f.Kind}
	for _, part := range []string{f.Code, f.Reason} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ": ")
}

var deadLetterColumns = []output.Column[deadLetterView]{
	{Head: "SEQUENCE", Right: true, Cell: func(v deadLetterView) string { return output.Count(v.Sequence) }},
	{Head: "MESSAGE", Cell: func(v deadLetterView) string { return v.MessageID }},
	{Head: "KEY", Cell: func(v deadLetterView) string { return v.Key }},
	{Head: "BYTES", Right: true, Cell: func(v deadLetterView) string { return output.Count(v.Bytes) }},
	{Head: "GIVEN UP", Cell: func(v deadLetterView) string { return timeText(v.DeadTime) }},
	{Head: "WHY", Cell: func(v deadLetterView) string { return v.Reason }},
	{Head: "FAILED", Right: true, Cell: func(v deadLetterView) string { return output.Count(v.Failed) }},
	{Head: "EXPIRED", Right: true, Cell: func(v deadLetterView) string { return output.Count(v.Expired) }},
	{Head: "LOST", Right: true, Cell: func(v deadLetterView) string { return output.Count(v.Lost) }},
	{Head: "LAST FAILURE", Cell: deadLetterView.last},
	{Head: "FORWARDED", Cell: func(v deadLetterView) string { return v.Forward.text() }},
}

// deadLetterPeek is a dead letter with its message.
type deadLetterPeek struct {
	deadLetterView
	Message messageLine `json:"message"`
}

func peekDeadLetter(d *headracev1.DeadLetter) deadLetterPeek {
	return deadLetterPeek{viewDeadLetter(d), deadLine(d)}
}

var deadLetterPeekColumns = append(
	embed(deadLetterColumns, func(v deadLetterPeek) deadLetterView { return v.deadLetterView }),
	output.Column[deadLetterPeek]{Head: "FAILURES", Cell: func(v deadLetterPeek) string {
		var parts []string
		for _, f := range v.Failures {
			parts = append(parts, timeText(f.Time)+" "+f.text())
		}
		return strings.Join(parts, "; ")
	}},
	output.Column[deadLetterPeek]{Head: "CONTENT", Cell: func(v deadLetterPeek) string { return v.Message.text() }},
)

// deadLine is the message of a dead letter as a line.
func deadLine(d *headracev1.DeadLetter) messageLine { return contentLine(d.GetMessage()) }

// contentLine is a message as a line, without where it stands.
func contentLine(m *headracev1.Message) messageLine {
	line := messageLine{
		MessageID:   m.GetMessageId(),
		OrderingKey: m.GetOrderingKey(),
		Attributes:  m.GetAttributes(),
		ContentType: m.GetContentType(),
	}
	if at := m.GetPublishTime(); at != nil {
		t := at.AsTime()
		line.PublishTime = &t
	}
	if utf8.Valid(m.GetData()) {
		text := string(m.GetData())
		line.Data = &text
	} else {
		line.DataBase64 = m.GetData()
	}
	return line
}

// outcomeView is what became of one dead letter.
type outcomeView struct {
	Sequence uint64 `json:"sequence"`
	Outcome  string `json:"outcome"`
}

var outcomeColumns = []output.Column[outcomeView]{
	{Head: "SEQUENCE", Right: true, Cell: func(v outcomeView) string { return output.Count(v.Sequence) }},
	{Head: "OUTCOME", Cell: func(v outcomeView) string { return v.Outcome }},
}

package headrace

import (
	"strings"
	"time"
	"unicode/utf8"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// verdict is what becomes of a delivery. Settles of one verdict go together.
type verdict struct {
	kind    headracev1.Verdict
	delay   time.Duration // with delayed: how long a retry waits.
	delayed bool
	// code and reason are kept with the failure.
	code, reason string
}

var (
	ackVerdict     = verdict{kind: headracev1.Verdict_VERDICT_ACK}
	releaseVerdict = verdict{kind: headracev1.Verdict_VERDICT_RELEASE}
)

func rejectVerdict(code, reason string) verdict {
	return verdict{
		kind: headracev1.Verdict_VERDICT_REJECT,
		code: bounded(code, maxCodeBytes), reason: bounded(reason, maxReasonBytes),
	}
}

// Bounds of what is kept with a failure.
const (
	maxCodeBytes   = 255
	maxReasonBytes = 1024
)

// bounded is a text as the server takes it: UTF-8 of at most so many bytes.
func bounded(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

func retryVerdict(opts []RetryOption) verdict {
	v := verdict{kind: headracev1.Verdict_VERDICT_RETRY}
	for _, o := range opts {
		o(&v)
	}
	return v
}

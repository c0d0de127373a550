package headrace

import (
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// verdict is what becomes of a delivery. Settles of one verdict go together.
type verdict struct {
	kind    headracev1.Verdict
	delay   time.Duration // with delayed: how long a retry waits.
	delayed bool
}

var (
	ackVerdict     = verdict{kind: headracev1.Verdict_VERDICT_ACK}
	releaseVerdict = verdict{kind: headracev1.Verdict_VERDICT_RELEASE}
)

func retryVerdict(opts []RetryOption) verdict {
	v := verdict{kind: headracev1.Verdict_VERDICT_RETRY}
	for _, o := range opts {
		o(&v)
	}
	return v
}

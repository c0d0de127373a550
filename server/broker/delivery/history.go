package delivery

// Bounds on what is remembered of failures.
const (
	// KeptFailures is how many of a message's last failures are remembered.
	KeptFailures = 8
	// MaxCodeBytes and MaxReasonBytes bound what a client may say about a failure;
	// what is longer is cut.
	MaxCodeBytes   = 256
	MaxReasonBytes = 1 << 10
	// maxChunkHistoryBytes bounds the failures remembered in a chunk, which is
	// written whole; maxHistoryBytes those of a subscription. When there is no room a
	// failure is remembered without its texts, or not at all; the counts are exact.
	maxChunkHistoryBytes = 32 << 10
	maxHistoryBytes      = 16 << 20
	// failureBytes is a generous size of a failure without its texts.
	failureBytes = 32
)

// FailureKind says how the delivery of a message came to nothing.
type FailureKind uint8

const (
	// WasRetried: the client asked for a retry.
	WasRetried FailureKind = iota + 1
	// WasExpired: its lease ended, or its session broke after it was started.
	WasExpired
	// WasLost: its session broke before it was started.
	WasLost
	// WasRejected: the client gave it up.
	WasRejected
)

// PastFailure is one delivery of a message that came to nothing.
type PastFailure struct {
	At     Instant
	Kind   FailureKind
	Client string
	// Code and Reason are what the client said.
	Code   string
	Reason string
}

// History holds the last failures of a message, oldest first, at most KeptFailures.
// It is never written to once it is made: messages that failed together share one.
type History struct{ Failures []PastFailure }

func (f *PastFailure) bytes() int { return failureBytes + len(f.Client) + len(f.Code) + len(f.Reason) }

func (h *History) bytes() (n int) {
	if h == nil {
		return 0
	}
	for i := range h.Failures {
		n += h.Failures[i].bytes()
	}
	return n
}

// last is the latest failure that is remembered.
func (h *History) last() PastFailure {
	if h == nil || len(h.Failures) == 0 {
		return PastFailure{}
	}
	return h.Failures[len(h.Failures)-1]
}

// with returns a history that goes on with one more failure.
func (h *History) with(f *PastFailure) *History {
	if h == nil {
		return &History{Failures: []PastFailure{*f}}
	}
	old := h.Failures
	old = old[max(0, len(old)-KeptFailures+1):]
	return &History{Failures: append(append(make([]PastFailure, 0, len(old)+1), old...), *f)}
}

// remembering is the failure of an outcome, and the history that it last made.
type remembering struct {
	failure       PastFailure
	before, after *History
}

// failure is what is to be remembered of an outcome.
func (o *outcome) failure() *remembering {
	if o.said == nil {
		o.said = &remembering{failure: failureOf(o, "", "")}
	}
	return o.said
}

// remember adds the failure of an outcome to a message's history, as far as there is
// room.
func (r *remembering) remember(c *chunk, count *Count, j *journal) {
	if r.after == nil || r.before != count.History {
		r.before, r.after = count.History, count.History.with(&r.failure)
	}
	after, old := r.after, count.History.bytes()
	if !j.hasRoom(c, after.bytes()-old) {
		bare := PastFailure{At: r.failure.At, Kind: r.failure.Kind}
		if after = count.History.with(&bare); !j.hasRoom(c, after.bytes()-old) {
			return
		}
	}
	j.account(c, after.bytes()-old)
	count.History = after
}

func (j *journal) hasRoom(c *chunk, more int) bool {
	return more <= 0 || c.history+more <= maxChunkHistoryBytes && j.history+more <= maxHistoryBytes
}

func (j *journal) account(c *chunk, more int) {
	c.history += more
	j.history += more
}

// reminded takes over the failures of a message that came back. One that has failed
// since has a history of its own already.
func (s *State) reminded(e *Remembered) {
	p := s.partitions[e.Partition]
	if p == nil || e.History == nil || p.settled(e.Offset) {
		return
	}
	c := p.chunk(e.Offset / ChunkOffsets)
	counts, added := c.countsOf(e.Offset, e.Offset)
	p.counted += added
	if counts[0].History == nil {
		p.journal.account(c, e.History.bytes())
		counts[0].History = e.History
	}
}

// failureOf is what will be remembered of an outcome.
func failureOf(o *outcome, code, reason string) PastFailure {
	f := PastFailure{At: o.at, Client: o.x.clientID}
	switch o.kind {
	case retried:
		f.Kind = WasRetried
	case mislaid:
		f.Kind = WasLost
	case rejected:
		f.Kind = WasRejected
	default:
		f.Kind = WasExpired
	}
	f.Code = code[:min(len(code), MaxCodeBytes)]
	f.Reason = reason[:min(len(reason), MaxReasonBytes)]
	return f
}

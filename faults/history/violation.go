package history

// Promise is one thing that a server must never break.
type Promise string

// The promises, named by what a break of them looks like.
const (
	// Lost: what was acknowledged is not delivered until it is acked.
	Lost Promise = "acknowledged and lost"
	// Duplicated: a message comes again although somebody holds it, or has acked it.
	Duplicated Promise = "delivered twice"
	// Resurrected: what was acked comes again after a restart, or what was deleted does.
	Resurrected Promise = "come back from the dead"
	// Reordered: a publisher's messages are stored, or an exclusive session's or an
	// ordering key's come, in another order.
	Reordered Promise = "out of order"
	// OverCredited: more is outstanding than the window, or was sent than the grant.
	OverCredited Promise = "more than there was credit for"
	// Miscounted: sequences have a gap, or the charge is not the sum of what came.
	Miscounted Promise = "miscounted"
	// Early: a retry comes before its time.
	Early Promise = "too early"
	// Late: a ready message does not come although there is credit.
	Late Promise = "too late"
	// WrongAttempt: the attempt is not 1 + failed + expired.
	WrongAttempt Promise = "wrong attempt"
	// WentBack: a floor or a head is lower than before.
	WentBack Promise = "gone back"
	// Gapped: an offset below the head holds nothing.
	Gapped Promise = "offset missing"
	// Shared: an offset was given twice.
	Shared Promise = "offset given twice"
	// Moved: a message has two positions.
	Moved Promise = "stored at two positions"
	// Changed: a body is not what was published.
	Changed Promise = "body changed"
	// Invented: what nobody published is delivered.
	Invented Promise = "delivered and never published"
	// StoredThoughRefused: what was refused is stored.
	StoredThoughRefused Promise = "refused and stored"
	// Disturbed: a message comes to another one while somebody works on it, where nobody
	// may.
	Disturbed Promise = "taken from who works on it"
	// Skipped: what a seek, a pause or a parked key holds back is delivered.
	Skipped Promise = "delivered and held back"
	// StaleConfirmed: a settle is confirmed of what was taken away before.
	StaleConfirmed Promise = "stale and confirmed"
	// OverTrimmed: retention or a cap took more than it may.
	OverTrimmed Promise = "removed before its time"
	// Unreadable: the history itself makes no sense.
	Unreadable Promise = "history without sense"
)

// Violation is a promise that was broken, and where.
type Violation struct {
	Promise Promise
	Detail  string
}

// String gives the promise and the detail.
func (v Violation) String() string { return string(v.Promise) + ": " + v.Detail }

// Counts are what a history has in it.
type Counts struct {
	// Events are all.
	Events int
	// ServerKills and ClientKills were asked for; Lives are servers that served.
	ServerKills, ClientKills, Lives int
	// Acknowledged, Refused and Unknown are messages, by what publishers were told.
	Acknowledged, Refused, Unknown int
	// Sessions were opened; Deliveries came in them; Confirmed acks were durable.
	Sessions, Deliveries, Confirmed int
	// Handed are deliveries to users who do not see frames.
	Handed int
	// Failed deliveries were retried or expired, Released ones given back.
	Failed, Released int
	// Repeated deliveries came again because a server or client had died, or a stream
	// had broken, before: without a fault there are none.
	Repeated int
	// Gone is the most that a subscription said it never settled.
	Gone uint64
}

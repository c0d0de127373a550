// Package delivery is the brain of one subscription: a pure state machine that
// decides which message goes to which session, when it comes back, and what
// must be written down before anything else may happen.
//
// It performs no I/O and starts no goroutine. It holds no lock and reads no
// clock: time is an argument. One owner loop feeds a [State] with events and
// performs the effects that come back:
//
//	for {
//		events = drain(mailbox, events[:0])     // each stamped when it was read
//		state.Apply(now, events...)             // now: how far the mailbox is drained
//		for _, effect := range state.Next(now) {
//			perform(effect)                 // in the order given
//		}
//		wait(mailbox, state.Deadline())
//	}
//
// # Words
//
// An offset of a partition is in exactly one of four conditions. It is settled
// (below the floor, acked above it, part of a hole, or dropped), outstanding (a session
// holds it), waiting (it was given back, or failed, and is due now or later), or
// fresh (never delivered since this State was made). Outstanding messages are
// kept in blocks of at most 64 consecutive sequences of one session with one
// bit a message; acked ones as bitmaps of 4,096 offsets; waiting ones as ranges.
// Only what failed has a record of its own. Nothing is kept for a fresh message.
//
// Where an order is kept, messages of one key wait for each other: see [Order]. What
// waits behind a busy key is kept as the distances of its offsets.
//
// # Time
//
// Every [Instant] is monotonic time since an origin that the caller chooses
// once for the life of a State. An event carries the time at which it was read
// from its stream, and leases are judged by that time, not by the time at which
// the event is applied. The time given to Apply is a promise: every event
// read before it has been applied, in this call or earlier. A caller that
// leaves events in its mailbox gives the time of the last one it took. Timers
// fire at the end of Apply, up to that time, and never past it.
//
// A session whose stream broke may wait to be taken up again. It keeps what it holds,
// its sequences, charges and settle numbers, and its leases do not end meanwhile; each
// stream of a session has an incarnation, and late frames of an older one are ignored.
//
// A delivery lives on two clocks. Until its client says that it began to work on it,
// it is kept for as long as the session is heard: the queue lease; its end is no
// attempt. From then on, or from the delivery for a client that never tells, the
// work lease runs, which only its extensions prolong; its end is a failed attempt.
//
// # How often a message may come
//
// Most of a State is the same for each [Guarantee]. At most once, a message is settled
// when its frame is made, and the frame leaves when that is committed. Exactly once, a
// frame leaves when it is committed who holds what: the change set has a page for each
// session and one for each block that it holds, and [Recover] makes of them sessions
// that wait to be taken up again. A number of a settle is written with what it changed
// or after it, and is confirmed when both are committed. Leases go on when a stream
// breaks, and across restarts.
//
// # Memory
//
// Effects and everything they point to stay valid until the next call of Next.
// The [ChangeSet] alone stays valid until its [Committed] has been applied, so a
// committer may encode it in its own time. Events are not kept: what a caller
// hands to Apply may be used again when Apply returns, but for the slices of a
// [Segment], which are kept, shared and never written to.
//
// # Guarantees
//
//   - An acked offset is never delivered again, and the floor never goes back.
//   - The attempt told with a delivery is 1 + failed + expired, and both counts
//     were committed before that delivery left.
//   - A settle is confirmed after the change set that holds its outcome, and
//     settles of a session are confirmed in the order of their numbers.
//   - What is outstanding never exceeds a window or a ceiling, what was sent never
//     exceeds a grant, but for a message that is larger than the limit itself and
//     travels alone.
//   - What is to be delivered at most once is committed as settled before it leaves, and
//     what is to be delivered exactly once as held until some time.
//   - At most one change set is on its way to the committer; what happens
//     meanwhile is merged into the next.
//
// # Caveats
//
// A State is not safe for concurrent use. It trusts its caller: offsets in
// Loaded and Head must be durable, Committed must mean committed. What it does
// not trust is what came from a client: numbers, ranges, credit and delays.
package delivery

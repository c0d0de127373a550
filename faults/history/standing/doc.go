// Package standing follows how each message stands on one subscription, in what history
// recorded of users who do not see frames: handlers of an SDK, who pulls, and operators
// who seek, take snapshots, pause, redrive dead letters and release parked keys.
//
// Nobody outside knows when the server did what it was asked, only that it was between
// the question and the answer. So an [Account] keeps, for each message, in which of three
// places it may be:
//
//	          ack                      what is asked adds a place,
//	live ───────────────► done         what is told leaves only one
//	 ▲ │ reject            │
//	 │ └─────────► dead    │           a seek, a snapshot: each message is where
//	 └── redrive ───┘      │           the target says, or may be where it said
//	 ▲                     │
//	 └──────── seek ───────┘
//
// A [history.Violation] is claimed only where the server can have had no reason: what is
// handed out in a session that began after it was surely not live; what is surely live
// when nothing is said to wait, or below a floor; what one holds whom exactly once is
// promised, and another gets; an attempt above all that can have been charged.
//
// # Caveats
//
// A client that is killed may have been sent, and charged, what it never wrote down. What
// a session had before it when something was settled may be handed out later, so only
// sessions that began after it count. Retention is package bounds' matter: topics of an
// account keep what is not settled.
package standing

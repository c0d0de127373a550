// Package broker is the body of Headrace: it feeds the delivery state machine of
// each subscription and performs what it decides, against a store.
//
// A [Broker] owns the catalog of topics and subscriptions in memory, one owner
// loop for each active subscription, and what streams need: a [Publisher] for each
// publish stream and a [Session] for each subscriber stream. It knows nothing of
// gRPC or of the frames on the wire: messages pass through as their encoded bytes.
//
// # Publishing
//
//	receive loop                      committer                 send loop
//	Topic, walk ─► Publish(batch) ──► its queue ─► durable ──► Next: completed batches
//	                 │ blocks when the queue is full              │
//	                 ▼                                            ▼
//	              back-pressure                      write results, ResultsWritten
//	                                                 ─► the window rises
//
// # Delivering
//
//	receive loop        subscription's loop                       send loop
//	Settle, Window ──►  mailbox ─► Apply ─► Next ─► effects ────► outbound queue
//	Extend, …           (bounded)              │   (never blocks)  ─► Next: a frame
//	                                           ▼
//	                                    state slot, Tail, fetcher
//
// A receive loop that finds the mailbox full waits; the owner loop never waits
// for anybody. What a loop hears from others are watermarks and wakes of
// capacity 1, so waiting forms no cycle.
//
// # Guarantees
//
//   - A batch's result is handed out when the batch is durable, results of one
//     publisher in the order of its batches.
//   - A delivery is handed out when its message is durable; a settle is confirmed
//     when the change it makes is durable.
//   - Leases and liveness are judged by the time at which a session's method was
//     called. Time in which the broker did not read is given back.
//   - A session that reads slowly costs its own stream, nobody else's.
//   - Every goroutine that the package starts has ended when Close returns.
//
// # Caveats
//
// A [Frame] holds references to shared segments: who takes one out of Next
// releases it exactly once. The methods of a Session are for its receive loop,
// Next is for its send loop; each side is one goroutine at a time.
package broker

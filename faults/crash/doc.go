// Package crash kills a server and its clients, again and again, and looks for broken
// promises.
//
// A Campaign runs the real binary and clients of it, each a process of its own that
// writes a history: publishers, and subscribers with windows that grow and shrink,
// with grants, alone on an exclusive subscription; they ack, retry, release, forget.
// An administrator creates, uses and deletes a topic of always the same name. The
// server is killed with SIGKILL at random moments, under load, while it starts, twice
// in a row, together with a client; clients are killed too. The store is kept restless:
// it rotates, compacts, collects and trims all the time, and a campaign in which it did
// not is no proof. At the end everything is drained, the history is checked by package
// history, and the store by its own walk over all chains.
//
//	harness ──┬─ server ───── store             history/
//	          ├─ publishers ──┬── gRPC ──┐        harness, one file a client
//	          ├─ subscribers ─┘          ▼        ▼
//	          └─ SIGKILL to any of them        check
//
// Clients speak the contract's generated client, so that nothing stands between a frame
// and its record. The seed gives the harness's choices and those of each client; how
// the processes are scheduled between them it does not give.
package crash

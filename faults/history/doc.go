// Package history records what the users of a server did and were told, and checks
// it against what the server promises.
//
// # Recording
//
// Every process has a [Recorder], which appends to a file of its own: the harness
// writes when servers and clients start and die, an administrator what is created
// and deleted, a publisher what it published and was told, a subscriber what it
// granted, received and settled. What is asked is written before it is sent, what
// is answered when it was read, each with the machine's monotonic clock, which all
// processes share. An [Event] is in the kernel's hands when Record returns, so it
// outlives its process; the last one of a killed process may be torn, and is
// dropped.
//
// # Checking
//
// [ReadDir] merges the files by time, and a [Checker] takes the events one by one:
// it looks at each once, and keeps a record for each message and subscription. At
// the end it gives every [Violation]. It claims one only where no legal server could
// have produced the history, whatever happened that nobody recorded: an answer that
// was lost, a delivery that was on its way to a client that was killed.
//
//	at the server        s ──────────── t           what the server did at s and t
//	at the client    r ────────── u                 was asked at r before, and told at u after
//
// # Caveats
//
// Sessions are judged by the server's life in which they were opened, and a session
// opened while one server dies and the next one starts counts for the first of them.
// Nobody records that the network lost anything: a stream that breaks while server
// and client live is taken as broken by the client.
package history

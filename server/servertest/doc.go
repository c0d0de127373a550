// Package servertest runs the real server in the test's process: gRPC over an
// in-memory transport, the real broker, and the real store on an engine of the
// test's choice, in memory unless it says otherwise.
//
// [Start] gives a [Server] with a connection of a stock gRPC client and the
// generated stubs on it. At the end of the test everything is stopped, waited for,
// and every chain in the store is walked.
//
// [StartControlled] gives a server whose clock the test moves, and whose calls it has
// refused, delayed or broken.
//
// Caveats: there is no network unless Options.Network puts the loopback interface in
// between. What depends on a real one, like keepalive and slow links, needs a listener
// of the test's own. The in-memory transport keeps a MiB of each connection for as
// long as the server lives.
package servertest

// Package serverproc runs a Headrace server as a child process: for the
// benchmark, which measures the server apart from its clients, and for tests,
// which kill it.
//
// Start returns once the server says where it listens. A Process is stopped
// gracefully with Stop or at once with Kill; both wait until it is gone, and both
// may be called again. What the server logs goes to Options.Log.
package serverproc

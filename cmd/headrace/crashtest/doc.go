// Package crashtest kills a Headrace server with SIGKILL at random moments while
// publishers and consumers run, and checks afterwards that every promise held.
//
// A Ledger, kept in the test's own process, records what publishers were told
// and what consumers got, in order. Check compares it with the promises and with
// what the server says at the end, and returns every Violation: acknowledged and
// lost, acked and delivered again, refused and stored, offsets with gaps or given
// twice, bodies changed, order broken. The checker is tested apart, by histories
// that break each promise.
//
// The number of kills comes from HEADRACE_KILL_ROUNDS, 2 by default; the seed of
// a run is printed and can be given with HEADRACE_KILL_SEED.
package crashtest

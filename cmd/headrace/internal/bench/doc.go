// Package bench measures a Headrace server through the Go client.
//
// Run drives one benchmark: it probes the disk, starts a server as a child
// process (or uses one at an address), loads it until it is warm, measures for a
// while, and probes the disk again. A Report has the figures and everything
// needed to read them: a rate without message size, batch, in flight, sync policy
// and the disk's own speed says nothing.
//
// Caveats: clients and server share the machine unless an address says
// otherwise, so they share its cores. Messages and latencies count within the
// window alone; CPU times are differences over the same window.
package bench

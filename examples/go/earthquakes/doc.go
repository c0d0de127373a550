// Command earthquakes is the tour of Headrace on real input: a week of seismic
// events is published to a topic, and services in three languages, each a process of
// its own, get all of them pushed.
//
//	                        ┌─ subscription "alerting" ──► alerting   prints strong events
//	input ─► topic ─────────┼─ subscription "archive"  ──► archiver   exclusive: keeps the order
//	         "earthquakes"  ├─ subscription "index"    ─┬► worker-1   compete; one is killed
//	                        │                           └► worker-2   in the middle of its work
//	                        ├─ subscription "census"   ──► census     Java: counts by network, in order
//	                        └─ subscription "digest"   ──► digest     Python: the strongest of each day
//
// The last two take part where Java and Python are installed; who is left out is
// said, and why.
//
// Run it with `make demo`, or `go run ./examples/go/earthquakes` from the top of
// the repository. It builds and starts a server, runs everything, stops it, and
// checks that nothing was lost, changed or left: exit code 1 if anything is off.
//
// Where to read on: alerting.go, archiver.go and worker.go are the services, each
// a page, and so are examples/java/earthquakes and examples/python/earthquakes;
// service.go is what those in Go share; cast.go has them all, languages.go builds
// what is not Go; publish.go is the publisher; demo.go is the story; check.go has the
// checks.
package main

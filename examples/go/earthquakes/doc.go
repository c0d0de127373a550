// Command earthquakes is the tour of Headrace on real input: a week of seismic
// events is published to a topic, and three services, each a process of its own,
// get all of them pushed.
//
//	                        ┌─ subscription "alerting" ──► alerting   prints strong events
//	input ─► topic ─────────┼─ subscription "archive"  ──► archiver   exclusive: keeps the order
//	         "earthquakes"  └─ subscription "index"    ──► worker 1   compete; one is killed
//	                                                   └─► worker 2   in the middle of its work
//
// Run it with `make demo`, or `go run ./examples/go/earthquakes` from the top of
// the repository. It builds and starts a server, runs everything, stops it, and
// checks that nothing was lost, changed or left: exit code 1 if anything is off.
//
// Where to read on: alerting.go, archiver.go and worker.go are the services, each
// a page; publish.go is the publisher; service.go is what the services share;
// demo.go is the story; check.go has the checks.
package main

//go:build race

package server_test

// How much the tests of leaks and bounds do under the race detector.
const (
	churnPairs   = 500
	idleSessions = 100
)

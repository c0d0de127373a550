//go:build !race

package server_test

// How much the tests of leaks and bounds do.
const (
	churnPairs   = 5000
	idleSessions = 1000
)

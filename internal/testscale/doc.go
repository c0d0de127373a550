// Package testscale says how much of its full size a test does.
//
// Some tests prove more the more they do: random work against a model, thousands of
// streams, a value log that is filled many times over. Such a test names three sizes.
// `make soak` sets HEADRACE_TEST_SCALE=full and gets the full one, `make test` the
// ordinary one, and `make race`, where each step takes ten times as long, the smallest.
// The ordinary size must still reach what the test is named after.
package testscale

package linear

import (
	"math"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/headrace/headrace/faults/history"
)

// never is the answer's time of what was never answered.
const never = history.Instant(math.MaxInt64)

// Verdict is what a check found.
type Verdict = porcupine.CheckResult

// The verdicts. Undecided is one that took too long.
const (
	Legal     = porcupine.Ok
	Illegal   = porcupine.Illegal
	Undecided = porcupine.Unknown
)

// timeout bounds one check.
const timeout = time.Minute

// operation makes an operation of a model from what it is, answer included, and its
// times.
func operation(in any, call, answer history.Instant) porcupine.Operation {
	return porcupine.Operation{Input: in, Call: int64(call), Return: int64(answer)}
}

// check looks for an order in which a model gives the same answers.
func check(m *porcupine.NondeterministicModel, operations []porcupine.Operation) Verdict {
	return porcupine.CheckOperationsTimeout(m.ToModel(), operations, timeout)
}

// choice makes the next states of a model from those that are possible.
func choice[S any](states ...S) []any {
	next := make([]any, len(states))
	for i, s := range states {
		next[i] = s
	}
	return next
}

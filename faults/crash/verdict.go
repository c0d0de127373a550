package crash

import (
	"errors"
	"fmt"
	"strings"

	"github.com/headrace/headrace/faults/history"
)

// ErrPromiseBroken is returned when a history has violations, or a server failed by
// itself.
var ErrPromiseBroken = errors.New("crash: a promise is broken")

// errEnough is returned when a campaign has shown what somebody wants to know.
var errEnough = errors.New("crash: enough was seen")

// maxShownViolations is how many an error tells.
const maxShownViolations = 20

// BrokenError is a history with violations. It is ErrPromiseBroken.
type BrokenError struct{ Violations []history.Violation }

// Error tells the first of them.
func (e *BrokenError) Error() string {
	var text strings.Builder
	for _, v := range e.Violations[:min(len(e.Violations), maxShownViolations)] {
		text.WriteString("\n" + v.String())
	}
	return fmt.Sprintf("%v: %d violations:%s", ErrPromiseBroken, len(e.Violations), text.String())
}

// Unwrap gives ErrPromiseBroken.
func (e *BrokenError) Unwrap() error { return ErrPromiseBroken }

// broken makes violations an error.
func broken(violations []history.Violation) error {
	if len(violations) == 0 {
		return nil
	}
	return &BrokenError{violations}
}

// check compares the history with all promises.
func (r *running) check() ([]history.Violation, error) {
	violations, counts, err := history.Check(r.historyDir(), history.Bounds{
		Late: lateBound, LargestBytes: largeBytes + fillerBytes, KeyOf: keyOf,
	})
	r.result.History, r.result.Scratches = counts, r.administrator.scratches
	ofAccounts, accounts, gone, accountsErr := checkAccounts(r.historyDir())
	r.result.Accounts, r.result.Gone = accounts, gone
	return append(violations, ofAccounts...), errors.Join(err, accountsErr)
}

// lookBack says with errEnough that the history so far shows enough. What it shows while
// clients write it may be half of something: only the last check counts.
func (r *running) lookBack() error {
	if r.Enough == nil {
		return nil
	}
	violations, err := r.check()
	if err == nil && r.Enough(append(violations, r.witness.seen()...)) {
		return errEnough
	}
	return err
}

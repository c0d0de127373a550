package storage

import (
	"strings"
	"testing"
)

// TestBoundFailuresKeepsTheNewest: what does not fit goes, the oldest first, and
// texts are cut between characters.
func TestBoundFailuresKeepsTheNewest(t *testing.T) {
	var all []Failure
	for i := range 12 {
		all = append(all, Failure{Client: strings.Repeat("c", i), Reason: strings.Repeat("é", 400), Code: strings.Repeat("k", 300)})
	}
	kept := BoundFailures(all)
	size := 0
	for i := range kept {
		f := &kept[i]
		size += failureBytes + len(f.Client) + len(f.Code) + len(f.Reason)
		if len(f.Reason)%2 != 0 || len(f.Code) != MaxFailureCodeBytes {
			t.Errorf("failure %d: reason of %d bytes, code of %d", i, len(f.Reason), len(f.Code))
		}
	}
	if n := len(kept); n < 3 || len(kept[n-1].Client) != 11 || len(kept[n-1].Reason) != 800 {
		t.Errorf("%d kept, the last of client %q", n, kept[n-1].Client)
	}
	if size > MaxHistoryBytes {
		t.Errorf("%d bytes kept", size)
	}
	if short := BoundFailures(make([]Failure, 12)); len(short) != MaxFailures {
		t.Errorf("%d failures without texts kept", len(short))
	}
}

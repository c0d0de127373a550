package server

import "testing"

// TestEveryPublishLimitIsTold: Opened carries a value for each limit that the contract
// has.
func TestEveryPublishLimitIsTold(t *testing.T) {
	limits := newPublishLimits(1 << 20).proto().ProtoReflect()
	fields := limits.Descriptor().Fields()
	for i := range fields.Len() {
		if f := fields.Get(i); !limits.Has(f) {
			t.Errorf("%s is not told", f.Name())
		}
	}
}

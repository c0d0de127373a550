package testscale

import "testing"

// TestTheFullSizeIsForWhoAsks: else the race detector makes it the smallest.
func TestTheFullSizeIsForWhoAsks(t *testing.T) {
	s := Sizes{Full: 100, Ordinary: 10, Race: 1}
	for _, c := range []struct {
		scale string
		race  bool
		want  int
	}{{"full", false, 100}, {"full", true, 100}, {"", false, 10}, {"", true, 1}} {
		if got := s.pick(c.scale, c.race); got != c.want {
			t.Errorf("scale %q, race %t: %d, want %d", c.scale, c.race, got, c.want)
		}
	}
	t.Setenv(Variable, "full")
	if got := s.Now(); got != s.Full {
		t.Errorf("with %s=full: %d", Variable, got)
	}
}

package testscale

import "os"

// Variable is the environment's word for the full size: "full".
const Variable = "HEADRACE_TEST_SCALE"

// Sizes are how much a test does.
type Sizes struct {
	Full, Ordinary, Race int
}

// Now is the size for this run.
func (s Sizes) Now() int { return s.pick(os.Getenv(Variable), underRace) }

func (s Sizes) pick(scale string, race bool) int {
	switch {
	case scale == "full":
		return s.Full
	case race:
		return s.Race
	default:
		return s.Ordinary
	}
}

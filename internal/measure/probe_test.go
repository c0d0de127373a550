package measure

import (
	"os"
	"testing"
	"time"
)

func TestProbeMeasuresAndLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	took, err := Disk(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(took) == 0 || PerSecond(took) <= 0 {
		t.Errorf("%d syncs, %v a second", len(took), PerSecond(took))
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestProbeOfAMissingDirectoryFails(t *testing.T) {
	if _, err := Disk(t.TempDir() + "/absent"); err == nil {
		t.Error("it did not")
	}
}

func TestRateComesFromTheMedian(t *testing.T) {
	took := []time.Duration{time.Hour, 2 * time.Millisecond, time.Millisecond}
	if got := PerSecond(took); got != 500 {
		t.Errorf("%v", got)
	}
	if got := PerSecond(nil); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

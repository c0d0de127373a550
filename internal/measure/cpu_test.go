package measure

import (
	"errors"
	"os"
	"testing"
	"time"
)

func TestProcStatIsCountedBehindTheName(t *testing.T) {
	got, err := parseProcStat("42 (a) b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0")
	if err != nil || got != 2*time.Second {
		t.Errorf("%v, %v", got, err)
	}
}

func TestProcStatRefusesOtherForms(t *testing.T) {
	for _, stat := range []string{"", "42 (a", "42 (a) S 1 2 3", "42 (a) S 1 2 3 4 5 6 7 8 9 10 x y 0"} {
		if got, err := parseProcStat(stat); !errors.Is(err, errProcStat) {
			t.Errorf("%q: %v, %v", stat, got, err)
		}
	}
}

func TestCPUTimeOfThisProcess(t *testing.T) {
	own, err := OwnCPU()
	if err != nil || own <= 0 {
		t.Fatalf("%v, %v", own, err)
	}
	if _, err := ProcessCPU(os.Getpid()); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

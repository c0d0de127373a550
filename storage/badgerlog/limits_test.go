package badgerlog

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// limited is a system with limits of its own.
func limited(soft, hard, fileSize uint64) system {
	s := realSystem()
	s.descriptorLimits = func() (uint64, uint64, error) { return soft, hard, nil }
	s.setDescriptorLimit = func(n, _ uint64) error {
		soft = n
		return nil
	}
	s.descriptors = func() (uint64, error) { return 100, nil }
	s.fileSizeLimit = func() (uint64, error) { return fileSize, nil }
	return s
}

// addressing is a system that may map so many bytes.
func addressing(bytes uint64) system {
	s := limited(65536, 65536, noLimit)
	s.addressLimit = func() (uint64, error) { return bytes, nil }
	return s
}

func TestTrapDescriptorLimits(t *testing.T) {
	log := testOptions("").Logger
	for name, c := range map[string]struct {
		system system
		limit  uint64
		want   string
	}{
		"raised to the hard limit":  {limited(1024, 65536, noLimit), 65536, ""},
		"few are accepted":          {limited(4096, 4096, noLimit), 4096, ""},
		"too few":                   {limited(1024, 4095, noLimit), 4095, "ulimit -n"},
		"file sizes are limited":    {limited(65536, 65536, 1<<40), 65536, "ulimit -f"},
		"address space is limited":  {addressing(1 << 40), 65536, "ulimit -v"},
		"hard limit is not granted": {refusing(limited(8192, 65536, noLimit)), 8192, ""},
	} {
		err := checkLimits(c.system, log)
		if limit, _, _ := c.system.descriptorLimits(); limit != c.limit {
			t.Errorf("%s: the limit is %d", name, limit)
		}
		if (err != nil) != (c.want != "") || err != nil && (!errors.Is(err, ErrLimits) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func refusing(s system) system {
	s.setDescriptorLimit = func(uint64, uint64) error { return errors.New("not permitted") }
	return s
}

// TestTrapFewDescriptorsDoNotOpen: nothing is touched then.
func TestTrapFewDescriptorsDoNotOpen(t *testing.T) {
	dir := t.TempDir() + "/store"
	if _, err := open(testOptions(dir), limited(100, 100, noLimit)); !errors.Is(err, ErrLimits) {
		t.Errorf("open: %v", err)
	}
	if exists(dir) {
		t.Error("the directory was made")
	}
}

// TestTrapDescriptorsRunOut: the engine fails before Badger runs out of them.
func TestTrapDescriptorsRunOut(t *testing.T) {
	for name, c := range map[string]struct {
		open  uint64
		fails bool
	}{
		"below 80 %": {7999, false},
		"80 %":       {8000, true},
		"all":        {10_000, true},
	} {
		w := newLimitWatch(limited(10_000, 10_000, noLimit))
		w.system.descriptors = func() (uint64, error) { return c.open, nil }
		w.check()
		if got := closed(w.stop.failed); got != c.fails {
			t.Errorf("%s: failed is %t", name, got)
		}
	}
}

// TestTrapLimitsFallWhileTheEngineRuns: somebody may lower them under it.
func TestTrapLimitsFallWhileTheEngineRuns(t *testing.T) {
	for name, now := range map[string]system{
		"descriptors":   limited(120, 65536, noLimit),
		"file size":     limited(65536, 65536, 1<<30),
		"address space": addressing(1 << 40),
	} {
		w := newLimitWatch(limited(65536, 65536, noLimit))
		w.check()
		if err := w.stop.cause(); err != nil {
			t.Errorf("%s: before: %v", name, err)
		}
		w.system = now
		w.check()
		if err := w.stop.cause(); !errors.Is(err, ErrLimits) {
			t.Errorf("%s: it goes on: %v", name, err)
		}
	}
}

func newLimitWatch(s system) *limitWatch {
	return &limitWatch{system: s, stop: newFailStop(testOptions("").Logger)}
}

// TestDescriptorsAreCountedAgainAndAgain counts at each interval until told to end.
func TestDescriptorsAreCountedAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counted := 0
		w := newLimitWatch(limited(10, 10, noLimit))
		w.system.descriptors = func() (uint64, error) {
			counted++
			return 1, nil
		}
		quit := make(chan struct{})
		go w.loop(time.Second, quit)
		time.Sleep(5*time.Second + time.Millisecond) //nolint:forbidigo // in a bubble
		close(quit)
		synctest.Wait()
		if counted != 5 {
			t.Errorf("counted %d times in 5 s", counted)
		}
	})
}

func TestCountedDescriptorsGrowWithOpenFiles(t *testing.T) {
	before, err := countDescriptors()
	if err != nil || before == 0 {
		t.Fatalf("%d descriptors, %v", before, err)
	}
	e := mustOpen(t, testOptions(t.TempDir()))
	if after, err := countDescriptors(); err != nil || after <= before {
		t.Errorf("%d descriptors with a store open, %d without, %v", after, before, err)
	}
	mustClose(t, e)
}

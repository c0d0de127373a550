package replay

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/headrace/headrace/faults/shardload"
)

var (
	cuts  = flag.Int("cuts", 40, "cuts of each load of TestWhatWasPromisedSurvivesACutAtAnyMoment")
	loads = flag.Int("loads", 1, "loads of that test")
	seed  = flag.Uint64("seed", 0, "repeats a campaign's load and cuts; 0: a new one")
)

const (
	// life is that of the victims under which files rotate.
	life = 3 * time.Second
	// shownLogBytes is how much of the victims' log a failed test shows.
	shownLogBytes = 8 << 10
)

func TestMain(m *testing.M) {
	if shardload.IsVictim() {
		os.Exit(shardload.PlayVictim())
	}
	flag.Parse()
	os.Exit(m.Run())
}

func TestWhatWasPromisedSurvivesACutAtAnyMoment(t *testing.T) {
	c := newCampaign(t)
	c.Cuts, c.Loads, c.Life = *cuts, *loads, life
	result, err := c.Run(t.Context())
	t.Logf("seed %d: %+v", c.Seed, result)
	if err != nil {
		t.Fatal(err)
	}
	if result.Published == 0 || result.Confirmed == 0 {
		t.Error("nothing was at stake")
	}
	for _, class := range Classes {
		if result.ByClass[class] == 0 {
			t.Errorf("no cut with: %s", class)
		}
	}
}

// newCampaign is one on this binary, which must be able to mount.
func newCampaign(t *testing.T) *Campaign {
	t.Helper()
	if os.Geteuid() != 0 {
		leaveOut(t, "needs root, to mount")
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		leaveOut(t, "needs /dev/fuse")
	}
	s := *seed
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with -seed %d", s)
	c := &Campaign{Seed: s, Binary: os.Args[0], Dir: t.TempDir(), Images: memoryDir(t), Logf: t.Logf}
	t.Cleanup(func() {
		text, err := os.ReadFile(filepath.Join(c.Dir, "victims.log"))
		if t.Failed() && err == nil {
			t.Logf("the end of what the victims logged:\n%s", text[max(0, len(text)-shownLogBytes):])
		}
	})
	return c
}

// memoryDir is a directory in memory, or one on the disk where the system has none.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "headrace-replay-") //nolint:usetesting // That one is on the disk.
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// leaveOut skips a test, but not where everything must have run.
func leaveOut(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("NOT TESTED: %s", reason)
	}
	t.Skipf("NOT TESTED: %s", reason)
}

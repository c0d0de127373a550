package powercut

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/headrace/headrace/faults/shardload"
)

var (
	rounds = flag.Int("rounds", 5, "rounds of TestWhatWasPromisedSurvivesAPowerCut")
	seed   = flag.Uint64("seed", 0, "repeats a campaign's moments and load; 0: a new one")
)

const (
	// redRounds is how many rounds a store that does not sync gets until it is
	// caught.
	redRounds = 20
	// shownLogBytes is how much of the victims' log a failed test shows.
	shownLogBytes = 8 << 10
)

func TestMain(m *testing.M) {
	if shardload.IsVictim() {
		os.Exit(shardload.PlayVictim())
	}
	if shardload.IsInspector() {
		os.Exit(shardload.PlayInspector())
	}
	flag.Parse()
	os.Exit(m.Run())
}

// TestWhatWasPromisedSurvivesAPowerCut is the campaign itself.
func TestWhatWasPromisedSurvivesAPowerCut(t *testing.T) {
	c := newCampaign(t)
	c.Rounds = *rounds
	result, err := c.Run(t.Context())
	t.Logf("seed %d: %+v", c.Seed, result)
	if err != nil {
		t.Error(err)
	}
	if result.Published == 0 || result.Confirmed == 0 || result.Accepted == 0 {
		t.Error("nothing was at stake")
	}
}

// TestAStoreThatPromisesTooEarlyIsCaught gives the harness a store that answers
// before the disk has.
func TestAStoreThatPromisesTooEarlyIsCaught(t *testing.T) {
	c := newCampaign(t)
	c.Hasty = true
	wantCaught(t, c)
}

// TestAStoreThatDoesNotSyncIsCaught builds victims that lack one sync each.
func TestAStoreThatDoesNotSyncIsCaught(t *testing.T) {
	mutants := map[string]shardload.Mutant{
		"Badger":      {File: "storage/badgerlog/options.go", From: "b.SyncWrites = true", To: "b.SyncWrites = false"},
		"format file": {File: "storage/badgerlog/format.go", From: "err = f.Sync()", To: "err = nil"},
	}
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			c := newCampaign(t)
			var err error
			if c.Binary, err = shardload.BuildMutant(t.Context(), "../..", t.TempDir(), m); err != nil {
				t.Fatal(err)
			}
			wantCaught(t, c)
		})
	}
}

// TestAStoreThatGivesOffsetsTwiceIsCaught has a store that leaves no offsets of a buffered
// topic out after a cut; who looks first recovers it.
func TestAStoreThatGivesOffsetsTwiceIsCaught(t *testing.T) {
	c := newCampaign(t)
	var err error
	c.Binary, err = shardload.BuildMutant(t.Context(), "../..", t.TempDir(), shardload.Mutant{
		File: "storage/shardlog/recovery_buffered.go", From: "	if r.shard.Clean ||", To: "	if !r.shard.Clean ||",
	})
	if err != nil {
		t.Fatal(err)
	}
	c.Inspector = c.Binary
	wantCaught(t, c)
}

func wantCaught(t *testing.T, c *Campaign) {
	t.Helper()
	c.Rounds = redRounds
	result, err := c.Run(t.Context())
	if !errors.Is(err, shardload.ErrPromiseBroken) {
		t.Fatalf("%+v: %v; nobody noticed", result, err)
	}
	text := err.Error()
	t.Logf("caught in round %d: %s", result.Rounds, text[:min(len(text), 400)])
}

// newCampaign is one on this binary, which must be able to mount.
func newCampaign(t *testing.T) *Campaign {
	t.Helper()
	if os.Geteuid() != 0 {
		leaveOut(t, "needs root, to mount an ext4 image")
	}
	if _, err := exec.LookPath("mkfs.ext4"); err != nil {
		leaveOut(t, "needs mkfs.ext4")
	}
	s := *seed
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with -seed %d", s)
	c := &Campaign{Seed: s, Binary: os.Args[0], Inspector: os.Args[0], Dir: t.TempDir(), Logf: t.Logf}
	t.Cleanup(func() {
		text, err := os.ReadFile(filepath.Join(c.Dir, "victims.log"))
		if t.Failed() && err == nil {
			t.Logf("the end of what the victims logged:\n%s", text[max(0, len(text)-shownLogBytes):])
		}
	})
	return c
}

// leaveOut skips a test, but not where everything must have run.
func leaveOut(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("NOT TESTED: %s", reason)
	}
	t.Skipf("NOT TESTED: %s", reason)
}

package crash

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

var (
	rounds = flag.Int("rounds", 2, "rounds of TestKilledServerKeepsItsPromises")
	seed   = flag.Uint64("seed", 0, "repeats a campaign's choices; 0: new ones")
)

// shownLogBytes is how much of the log a failed test shows.
const shownLogBytes = 8 << 10

func TestMain(m *testing.M) {
	if IsClient() {
		os.Exit(Client())
	}
	flag.Parse()
	os.Exit(m.Run())
}

// TestKilledServerKeepsItsPromises is the campaign itself.
func TestKilledServerKeepsItsPromises(t *testing.T) {
	c := newCampaign(t, build(t, nil))
	c.Rounds = *rounds
	result, err := c.Run(t.Context())
	t.Logf("seed %d: %+v", c.Seed, result)
	if err != nil {
		t.Error(err)
	}
	if n := result.History; n.Acknowledged == 0 || n.Confirmed == 0 || n.Failed == 0 || result.Scratches == 0 {
		t.Error("nothing was at stake")
	}
	if missing := result.Missing(); err == nil && len(missing) > 0 {
		t.Errorf("the store was not restless: it has none of %q", missing)
	}
}

// newCampaign is one with a seed that is shown, and a log that is when it fails.
func newCampaign(t *testing.T, server string) *Campaign {
	t.Helper()
	s := *seed
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with -seed %d", s)
	c := &Campaign{Seed: s, Server: server, Client: os.Args[0], Dir: t.TempDir(), Logf: t.Logf}
	t.Cleanup(func() {
		text, err := os.ReadFile(filepath.Join(c.Dir, LogName))
		if t.Failed() && err == nil {
			t.Logf("the end of the log:\n%s", text[max(0, len(text)-shownLogBytes):])
		}
	})
	return c
}

// build compiles the binary under test, with files laid over its own.
func build(t *testing.T, overlay map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	binary, file := filepath.Join(dir, "headrace"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "build", "-overlay", file, "-o", binary, "./cmd/headrace")
	c.Dir = "../.."
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

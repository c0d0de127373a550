package crash

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

var (
	rounds = flag.Int("rounds", 2, "rounds of TestKilledServerKeepsItsPromises")
	seed   = flag.Uint64("seed", 0, "repeats a campaign's choices; 0: new ones")
	keep   = flag.String("keep", "", "a directory for what campaigns leave: the history, the log, the store; it must not have any")
)

// shownLogBytes is how much of the log a failed test shows.
const shownLogBytes = 8 << 10

// smallRounds is up to how many rounds every message's history is checked with the
// model, too.
const smallRounds = 10

func TestMain(m *testing.M) {
	if IsClient() {
		os.Exit(Client())
	}
	flag.Parse()
	dir, err := os.MkdirTemp("", "crash")
	if err != nil {
		panic(err)
	}
	binaries = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// TestKilledServerKeepsItsPromises is the campaign itself.
func TestKilledServerKeepsItsPromises(t *testing.T) {
	c := newCampaign(t, soundServer(t))
	c.Rounds = *rounds
	result, err := c.Run(t.Context())
	t.Logf("seed %d: %+v", c.Seed, result)
	if err != nil {
		t.Fatal(err)
	}
	if n := result.History; n.Acknowledged == 0 || n.Confirmed == 0 || n.Failed == 0 || n.Gone == 0 || result.Scratches == 0 {
		t.Error("nothing was at stake")
	}
	if n := result.Buffered; n.Told == 0 || n.Lives < 2 {
		t.Errorf("the buffered topic lived through nothing: %+v", n)
	}
	if missing := result.Missing(); len(missing) > 0 {
		t.Errorf("the store was not restless: it has none of %q", missing)
	}
	if c.Rounds <= smallRounds {
		checkOrder(t, c)
	}
}

// TestWithoutAFaultNothingComesTwice: what is not retried, released or forgotten comes
// once.
func TestWithoutAFaultNothingComesTwice(t *testing.T) {
	c := newCampaign(t, soundServer(t))
	c.Calm = 3 * time.Second
	result, err := c.Run(t.Context())
	t.Logf("seed %d: %+v", c.Seed, result)
	if err != nil {
		t.Fatal(err)
	}
	if n := result.History; n.Repeated > 0 || n.Confirmed == 0 {
		t.Errorf("%d came again, %d were acked", n.Repeated, n.Confirmed)
	}
	checkOrder(t, c)
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
	if *keep != "" {
		c.Dir = filepath.Join(*keep, strconv.FormatUint(s, 10))
	}
	t.Cleanup(func() {
		text, err := os.ReadFile(filepath.Join(c.Dir, LogName))
		if t.Failed() && err == nil {
			t.Logf("the end of the log:\n%s", text[max(0, len(text)-shownLogBytes):])
		}
	})
	return c
}

// binaries is where servers are built, for the life of this process.
var binaries string

// soundServer is the binary under test.
func soundServer(t *testing.T) string {
	t.Helper()
	builtOnce.Do(func() { built = build(t, "sound", nil) })
	if built == "" {
		t.Fatal("the server was not built")
	}
	return built
}

var (
	builtOnce sync.Once
	built     string
)

// build compiles a server, with files laid over its own.
func build(t *testing.T, name string, overlay map[string]string) string {
	t.Helper()
	binary, file := filepath.Join(binaries, name), filepath.Join(binaries, name+".json")
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

package corruption

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/headrace/headrace/faults/shardload"
)

var (
	trials = flag.Int("trials", 30, "how many trials TestNoDamageIsSilent makes")
	only   = flag.String("only", "", "only trials whose kind of file and damage contain this, as \"older .vlog flipped\"")
	seed   = flag.Uint64("seed", 0, "repeats a campaign's choices; 0: a new one")
)

func TestMain(m *testing.M) {
	if shardload.IsVictim() {
		os.Exit(shardload.PlayVictim())
	}
	if dir := os.Getenv(dirVariable); dir != "" {
		if err := look(dir, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(m.Run())
}

// lives are how long each of a store's victims lives. The last one is short, so that
// older files have what is still needed.
var lives = []time.Duration{400 * time.Millisecond, 800 * time.Millisecond, 50 * time.Millisecond}

// makeBase makes a store by two lives under load, of which the last one ends as told.
func makeBase(t *testing.T, name string, killed bool, seed uint64) *base {
	t.Helper()
	b := &base{name: name, dir: filepath.Join(t.TempDir(), name), killed: killed}
	ledger := &shardload.Ledger{}
	for life, lived := range lives {
		last := life == len(lives)-1
		v, err := shardload.StartVictim(t.Context(), shardload.VictimOptions{
			Binary: os.Args[0], Dir: b.dir, Seed: seed, Life: life, Ledger: ledger, Log: io.Discard,
		})
		if err != nil {
			t.Fatal(err)
		}
		<-v.Ready()
		if err := v.Live(t.Context(), lived); err != nil {
			t.Fatal(err)
		}
		if killed && last {
			err = v.Kill()
		} else {
			err = errors.Join(v.Close(), v.Wait())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// What the undamaged store holds is what it promised: then it is what to compare
	// with.
	promised, compared := filepath.Join(t.TempDir(), "promised"), filepath.Join(t.TempDir(), "compared")
	if err := errors.Join(copyStore(t.Context(), b.dir, promised), copyStore(t.Context(), b.dir, compared)); err != nil {
		t.Fatal(err)
	}
	found, err := shardload.Inspect(t.Context(), promised, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if wrong := shardload.Check(ledger, found); len(wrong) > 0 {
		t.Fatalf("the undamaged store %s does not hold its promises: %v", name, wrong)
	}
	reading, err := lookAtTwice(t, b, compared)
	if err != nil {
		t.Fatal(err)
	}
	b.reading = reading
	return b
}

func lookAtTwice(t *testing.T, b *base, dir string) (r Reading, err error) {
	t.Helper()
	b.doctor, r, err = lookAt(t.Context(), dir)
	if err == nil && (r.Refused != "" || len(r.Errors) > 0 || b.doctor.Worst == "damage" || b.doctor.Worst == "warning") {
		t.Fatalf("the undamaged store %s: %+v, %+v", b.name, b.doctor, r)
	}
	return r, err
}

// TestNoDamageIsSilent: whatever is done to one file of a store, nobody is served
// anything else than what was there, without an error.
func TestNoDamageIsSilent(t *testing.T) {
	s := *seed
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with -seed %d", s)
	bases := []*base{makeBase(t, "stopped", false, s), makeBase(t, "killed", true, s)}
	random := rand.New(rand.NewPCG(s, 1))
	table := map[string]map[Outcome]int{}
	for n := 0; n < *trials; {
		x := &trial{
			base: bases[random.IntN(2)], kind: kinds[random.IntN(len(kinds))],
			damage: damages[random.IntN(len(damages))], random: random,
		}
		if !strings.Contains(x.kind.name+" "+string(x.damage), *only) {
			continue
		}
		outcome, file, says, err := x.run(t.Context(), filepath.Join(t.TempDir(), strconv.Itoa(n)))
		if errors.Is(err, errNotPossible) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		row := fmt.Sprintf("%-12s  %s", x.kind.name, x.damage)
		if table[row] == nil {
			table[row] = map[Outcome]int{}
		}
		table[row][outcome]++
		if outcome == Silent {
			t.Errorf("trial %d, %s, %s of %s: %s", n, x.base.name, x.damage, file, says)
		}
		n++
	}
	t.Log(draw(table))
}

// draw writes the outcomes as a table.
func draw(table map[string]map[Outcome]int) string {
	var b strings.Builder
	for _, row := range slices.Sorted(maps.Keys(table)) {
		fmt.Fprintf(&b, "\n%-30s", row)
		for _, o := range []Outcome{Harmless, Repaired, Refused, Fenced, Stopped, Last, Silent} {
			if n := table[row][o]; n > 0 {
				fmt.Fprintf(&b, "  %s %d", o, n)
			}
		}
	}
	return b.String()
}

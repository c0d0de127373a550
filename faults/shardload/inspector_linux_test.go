package shardload

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestTrapAFailedOpenKeepsFilesMapped: where Badger fails once, on a value log that was
// created and not yet sized, nothing of the store stays with who had it inspected, and
// an inspector reports what an inspection finds.
func TestTrapAFailedOpenKeepsFilesMapped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	killOne(t, dir)
	log := &strings.Builder{}
	leaveValueLogHalfMade(t, dir)
	apart, err := InspectApart(t.Context(), os.Args[0], dir, log)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "half made") {
		t.Fatalf("Badger opened at the first try, and this test shows nothing:\n%s", log)
	}
	if kept := mapped(t, dir); len(kept) > 0 {
		t.Errorf("mapped after the inspection:\n%s", strings.Join(kept, "\n"))
	}
	again, err := InspectApart(t.Context(), os.Args[0], dir, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	same := cmp.Options{cmp.AllowUnexported(messageID{}), cmpopts.EquateEmpty()}
	if diff := cmp.Diff(apart, again, same); diff != "" {
		t.Errorf("the second inspection differs (-first +second):\n%s", diff)
	}
	if len(apart.Partitions) != partitions || len(apart.Partitions[0].Messages) == 0 {
		t.Errorf("nothing was found: %+v", apart)
	}
}

// TestAnInspectorSaysWhyItRefuses: the reason is told, not only that there is one.
func TestAnInspectorSaysWhyItRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := InspectApart(t.Context(), os.Args[0], file, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("a file was inspected: %v", err)
	}
}

// killOne loads a store with a victim and kills it.
func killOne(t *testing.T, dir string) {
	t.Helper()
	ledger := &Ledger{}
	v, err := StartVictim(context.WithoutCancel(t.Context()), VictimOptions{
		Binary: os.Args[0], Dir: dir, Seed: 1, Life: 1, Ledger: ledger, Log: io.Discard,
	})
	if err != nil {
		t.Fatal(err)
	}
	<-v.Ready()
	if err := v.Kill(); err != nil {
		t.Fatal(err)
	}
	if !ledger.Ready() {
		t.Fatal("the victim made no store")
	}
}

// leaveValueLogHalfMade creates the next value log and gives it no size.
func leaveValueLogHalfMade(t *testing.T, dir string) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(dir, "badger", "*.vlog"))
	if err != nil {
		t.Fatal(err)
	}
	next := filepath.Join(dir, "badger", fmt.Sprintf("%06d.vlog", len(logs)+1))
	if err := os.WriteFile(next, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// mapped gives the maps of this process that are files below a directory.
func mapped(t *testing.T, dir string) []string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(maps)) {
		if strings.Contains(line, dir) {
			found = append(found, line)
		}
	}
	return found
}

package history

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recordingVariable makes this test binary record until it is killed, in the directory
// that it names.
const recordingVariable = "HISTORY_TEST_RECORDS_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(recordingVariable); dir != "" {
		recordForEver(dir)
	}
	os.Exit(m.Run())
}

func recordForEver(dir string) {
	r, err := Create(dir, "victim")
	if err != nil {
		panic(err)
	}
	for n := uint64(1); ; n++ {
		r.Record(Event{Kind: Refused, Fields: Fields{Publisher: 1, Number: n, Count: 1}})
		if n == 1_000 {
			_, _ = os.Stdout.WriteString("1000\n") // What is told now must be there after the kill.
		}
	}
}

func read(t *testing.T, dir string) []Event {
	t.Helper()
	var events []Event
	if err := ReadDir(dir, func(e *Event) { events = append(events, *e) }); err != nil {
		t.Fatal(err)
	}
	return events
}

func create(t *testing.T, dir, name string) *Recorder {
	t.Helper()
	r, err := Create(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// TestEveryKindIsReadAsItWasRecorded: every field that a kind uses comes back.
func TestEveryKindIsReadAsItWasRecorded(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir, "all")
	var want []Event
	for k := range Kind(255) {
		e := Event{Kind: k}
		used := e.used(k)
		if used == nil {
			continue
		}
		for i, v := range used {
			*v = uint64(i+1) << (5 * i)
		}
		want = append(want, e)
		r.Record(e)
	}
	got := read(t, dir)
	for i := range got {
		got[i].At = 0
	}
	if len(want) < 25 {
		t.Errorf("only %d kinds", len(want))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestFilesAreMergedByTime: what several processes wrote comes in the order in which
// it was written.
func TestFilesAreMergedByTime(t *testing.T) {
	dir := t.TempDir()
	recorders := []*Recorder{create(t, dir, "a"), create(t, dir, "b"), create(t, dir, "c")}
	for n := range uint64(30) {
		recorders[n*7%3].Record(Event{Kind: ServerKilled, Fields: Fields{Life: n}})
	}
	for n, e := range read(t, dir) {
		if e.Life != uint64(n) {
			t.Fatalf("event %d is %d", n, e.Life)
		}
	}
}

// TestTornLastRecordIsDropped: a file may end anywhere, and loses its last record then.
func TestTornLastRecordIsDropped(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir, "torn")
	for n := range uint64(3) {
		r.Record(Event{Kind: Published, Fields: Fields{Publisher: 1, Number: n, Count: 1 << 40, Offset: 1 << 50}})
	}
	name := filepath.Join(dir, "torn"+fileSuffix)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	size := len(whole) / 3
	for cut := 1; cut <= size; cut++ {
		if err := os.Truncate(name, int64(len(whole)-cut)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, dir); len(got) != 2 {
			t.Errorf("%d bytes cut: %d events", cut, len(got))
		}
	}
}

// TestForeignBytesAreSaid: what no recorder wrote is an error, not the end.
func TestForeignBytesAreSaid(t *testing.T) {
	for name, bytes := range map[string][]byte{
		"an unknown kind":  {2, 200, 1},
		"an endless one":   {255, 255, 3},
		"fields left over": {4, byte(Drained), 1, 2, 3},
		"fields that lack": {2, byte(ServerKilled), 1},
		"nothing":          {0},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x"+fileSuffix), bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := ReadDir(dir, func(*Event) {}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhatWasRecordedOutlivesItsProcess: a recorder that is killed leaves everything
// that it had recorded.
func TestWhatWasRecordedOutlivesItsProcess(t *testing.T) {
	dir := t.TempDir()
	victim := exec.Command(os.Args[0])
	victim.Env = append(os.Environ(), recordingVariable+"="+dir)
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait()
	events := read(t, dir)
	if len(events) < 1_000 {
		t.Fatalf("%d events", len(events))
	}
	for i, e := range events {
		if e.Number != uint64(i+1) {
			t.Fatalf("event %d is %d", i, e.Number)
		}
	}
}

package fusefs

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// script does things to a file system without a mount.
type script struct {
	t *testing.T
	*FS
}

func newScript(t *testing.T) *script {
	t.Helper()
	return &script{t, New(1)}
}

func (s *script) ok(errno syscall.Errno) {
	s.t.Helper()
	if errno != 0 {
		s.t.Fatal(errno)
	}
}

func (s *script) made(dir *inode, name string) *inode {
	s.t.Helper()
	n, errno := s.create(dir, name, false)
	s.ok(errno)
	return n
}

func (s *script) wrote(n *inode, text string, offset int64) {
	s.t.Helper()
	_, errno := s.write(n, []byte(text), offset)
	s.ok(errno)
}

// synced makes a file with a text, and its name, durable.
func (s *script) synced(name, text string) *inode {
	s.t.Helper()
	n := s.made(s.root, name)
	s.wrote(n, text, 0)
	s.ok(s.sync(n))
	s.ok(s.sync(s.root))
	return n
}

// after is what a cut after everything leaves, by path.
func (s *script) after(strict bool, v Survival) map[string]string {
	s.t.Helper()
	d := NewDisk()
	d.Strict = strict
	for _, o := range s.Journal() {
		d.Apply(&o)
	}
	dir := s.t.TempDir()
	if err := d.WriteImage(dir, v); err != nil {
		s.t.Fatal(err)
	}
	return filesBelow(s.t, dir)
}

func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir+"/")] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestOnlyWhatWasSyncedSurvivesACut(t *testing.T) {
	tests := map[string]struct {
		do   func(s *script)
		want map[string]string
	}{
		"synced": {func(s *script) { s.synced("a", "text") }, map[string]string{"a": "text"}},
		"not synced": {func(s *script) {
			s.wrote(s.synced("a", "text"), "TE", 0)
		}, map[string]string{"a": "text"}},
		"the name of a synced file": {func(s *script) {
			n := s.made(s.root, "a")
			s.wrote(n, "text", 0)
			s.ok(s.sync(n))
		}, map[string]string{"a": "text"}},
		"the name alone": {func(s *script) {
			s.wrote(s.made(s.root, "a"), "text", 0)
			s.ok(s.sync(s.root))
		}, map[string]string{"a": ""}},
		"nothing at all": {func(s *script) { s.wrote(s.made(s.root, "a"), "text", 0) }, map[string]string{}},
		"in a directory that nobody synced": {func(s *script) {
			dir, errno := s.create(s.root, "d", true)
			s.ok(errno)
			n := s.made(dir, "a")
			s.wrote(n, "text", 0)
			s.ok(s.sync(n))
		}, map[string]string{"d/a": "text"}},
		"truncated, not synced": {func(s *script) {
			s.ok(s.truncate(s.synced("a", "text"), 1))
		}, map[string]string{"a": "text"}},
		"truncated and lengthened, synced": {func(s *script) {
			n := s.synced("a", "text")
			s.ok(s.truncate(n, 1))
			s.ok(s.truncate(n, 3))
			s.ok(s.sync(n))
		}, map[string]string{"a": "t\x00\x00"}},
		"allocated": {func(s *script) {
			n := s.synced("a", "t")
			s.ok(s.allocate(n, 3))
			s.ok(s.sync(n))
		}, map[string]string{"a": "t\x00\x00"}},
		"removed, directory not synced": {func(s *script) {
			s.synced("a", "text")
			s.ok(s.remove(s.root, "a"))
		}, map[string]string{"a": "text"}},
		"removed, directory synced": {func(s *script) {
			s.synced("a", "text")
			s.ok(s.remove(s.root, "a"))
			s.ok(s.sync(s.root))
		}, map[string]string{}},
		"renamed, directory not synced": {func(s *script) {
			s.synced("a", "old")
			s.synced("b", "new")
			s.ok(s.rename(s.root, "b", s.root, "a"))
		}, map[string]string{"a": "old", "b": "new"}},
		"renamed, directory synced": {func(s *script) {
			s.synced("a", "old")
			s.synced("b", "new")
			s.ok(s.rename(s.root, "b", s.root, "a"))
			s.ok(s.sync(s.root))
		}, map[string]string{"a": "new"}},
		"removed and made again, the new one synced": {func(s *script) {
			s.synced("a", "old")
			s.ok(s.remove(s.root, "a"))
			n := s.made(s.root, "a")
			s.wrote(n, "new", 0)
			s.ok(s.sync(n))
		}, map[string]string{"a": "new"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			test.do(s)
			got := s.after(false, Survival{})
			if len(got) != len(test.want) {
				t.Errorf("found %q, expected %q", got, test.want)
			}
			for path, text := range test.want {
				if found, ok := got[path]; !ok || found != text {
					t.Errorf("found %q, expected %q", got, test.want)
				}
			}
		})
	}
}

func TestAStrictDiskForgetsNamesWithoutASyncOfTheirDirectory(t *testing.T) {
	s := newScript(t)
	n := s.made(s.root, "a")
	s.wrote(n, "text", 0)
	s.ok(s.sync(n))
	if got := s.after(true, Survival{}); len(got) != 0 {
		t.Errorf("found %q", got)
	}
	s.ok(s.sync(s.root))
	if got := s.after(true, Survival{}); got["a"] != "text" {
		t.Errorf("found %q", got)
	}
}

func TestANameSettlesByItself(t *testing.T) {
	s := newScript(t)
	s.synced("a", "text")
	s.ok(s.remove(s.root, "a"))
	d := NewDisk()
	d.SettleOperations = 2
	for _, want := range []int{1, 1, 0} {
		dir := t.TempDir()
		journal := s.Journal()
		for _, o := range journal[d.count:] {
			d.Apply(&o)
		}
		if err := d.WriteImage(dir, Survival{}); err != nil {
			t.Fatal(err)
		}
		if got := filesBelow(t, dir); len(got) != want {
			t.Errorf("after %d operations: %q", d.count, got)
		}
		s.Note(nil)
	}
}

func TestEverythingMaySurvive(t *testing.T) {
	s := newScript(t)
	n := s.synced("a", "text")
	s.wrote(n, "TE", 0)
	s.ok(s.truncate(n, 3))
	s.ok(s.rename(s.root, "a", s.root, "b"))
	if got := s.after(false, Survival{Share: 1}); len(got) != 1 || got["b"] != "TEx" {
		t.Errorf("found %q", got)
	}
}

func TestAnOldChangeDoesNotUndoANewerDurableOne(t *testing.T) {
	s := newScript(t)
	s.made(s.root, "a")
	s.ok(s.remove(s.root, "a"))
	n := s.made(s.root, "a")
	s.wrote(n, "new", 0)
	s.ok(s.sync(n))
	if got := s.after(false, Survival{Share: 1}); got["a"] != "new" {
		t.Errorf("found %q", got)
	}
}

// TestAWriteIsTornBetweenItsPieces looks at many cuts: each piece is old or new as a
// whole, and both a prefix and pieces out of order are seen.
func TestAWriteIsTornBetweenItsPieces(t *testing.T) {
	const pieces, size = 8, 512
	s := newScript(t)
	s.wrote(s.synced("a", strings.Repeat("o", pieces*size)), strings.Repeat("n", pieces*size), 0)
	random := rand.New(rand.NewPCG(1, 1))
	seen := map[string]bool{}
	for range 200 {
		text := s.after(false, Survival{Share: 0.5, PieceBytes: size, Random: random})["a"]
		var shape strings.Builder
		for i := range pieces {
			piece := text[i*size : (i+1)*size]
			shape.WriteString(piece[:1])
			if piece != strings.Repeat(piece[:1], size) {
				t.Fatalf("piece %d is torn: %q", i, piece)
			}
		}
		seen[shape.String()] = true
	}
	for _, want := range []string{"oooooooo", "nnnnnnnn", "nnoooooo"} {
		if !seen[want] {
			t.Errorf("never seen: %s", want)
		}
	}
	if len(seen) < 3*pieces {
		t.Errorf("only %d shapes", len(seen))
	}
}

func TestSizesSurviveInOrderAndWritesWithinThem(t *testing.T) {
	s := newScript(t)
	n := s.synced("a", "")
	s.wrote(n, "1", 0)
	s.wrote(n, "2", 1)
	s.wrote(n, "3", 2)
	random := rand.New(rand.NewPCG(2, 2))
	seen := map[string]bool{}
	for range 300 {
		seen[s.after(false, Survival{Share: 0.5, Random: random})["a"]] = true
	}
	for text := range seen {
		if len(text) > 3 {
			t.Errorf("too long: %q", text)
		}
	}
	for _, want := range []string{"", "1", "\x00", "123", "\x002", "1\x003"} {
		if !seen[want] {
			t.Errorf("never seen: %q", want)
		}
	}
}

func TestASyncThatFailsLeavesItsFileAsItWas(t *testing.T) {
	s := newScript(t)
	n := s.synced("a", "text")
	s.SetRules(Rule{Kind: Sync, File: "a", Times: 1, Fault: Fault{Err: syscall.EIO}})
	s.wrote(n, "TEXT", 0)
	if errno := s.sync(n); errno != syscall.EIO {
		t.Fatal(errno)
	}
	if got := s.after(false, Survival{}); got["a"] != "text" {
		t.Errorf("found %q", got)
	}
	s.ok(s.sync(n))
	if got := s.after(false, Survival{}); got["a"] != "TEXT" {
		t.Errorf("found %q", got)
	}
}

func TestASyncThatForgetsIsNotMadeGoodByTheNext(t *testing.T) {
	s := newScript(t)
	n := s.synced("a", "text")
	s.SetRules(Rule{Kind: Sync, File: "a", Times: 1, Fault: Fault{Err: syscall.EIO, Forget: true}})
	s.wrote(n, "TEXT", 0)
	if errno := s.sync(n); errno != syscall.EIO {
		t.Fatal(errno)
	}
	s.ok(s.sync(n))
	seen := make([]byte, 4)
	if _, errno := s.read(n, seen, 0); errno != 0 || string(seen) != "TEXT" {
		t.Errorf("read %q, %v", seen, errno)
	}
	if got := s.after(false, Survival{Share: 1}); got["a"] != "text" {
		t.Errorf("found %q", got)
	}
}

func TestAFailingWriteLeavesItsBeginning(t *testing.T) {
	s := newScript(t)
	n := s.synced("a", "....")
	s.SetRules(Rule{Kind: Write, File: "?", Fault: Fault{Err: syscall.ENOSPC, KeepBytes: 2}})
	if size, errno := s.write(n, []byte("text"), 0); size != 2 || errno != syscall.ENOSPC {
		t.Errorf("%d, %v", size, errno)
	}
	s.SetRules()
	s.ok(s.sync(n))
	if got := s.after(false, Survival{}); got["a"] != "te.." {
		t.Errorf("found %q", got)
	}
}

func TestARuleChoosesItsCalls(t *testing.T) {
	tests := map[string]struct {
		rule Rule
		want string
	}{
		"all":              {Rule{Kind: Write, File: "a"}, "xxxxxxxx"},
		"another kind":     {Rule{Kind: Sync, File: "a"}, "........"},
		"another file":     {Rule{Kind: Write, File: "b*"}, "........"},
		"from the third":   {Rule{Kind: Write, File: "*", After: 2}, "..xxxxxx"},
		"the third and 4.": {Rule{Kind: Write, File: "*", After: 2, Times: 2}, "..xx...."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			n := s.made(s.root, "a")
			test.rule.Fault.Err = syscall.EIO
			s.SetRules(test.rule)
			var got strings.Builder
			for range len(test.want) {
				_, errno := s.write(n, []byte("x"), 0)
				got.WriteString(map[bool]string{true: "x", false: "."}[errno == syscall.EIO])
			}
			if got.String() != test.want || s.Hits()[0] != strings.Count(test.want, "x") {
				t.Errorf("%s, hits %v, expected %s", got.String(), s.Hits(), test.want)
			}
		})
	}
}

func TestAChanceIsBetweenNeverAndAlways(t *testing.T) {
	const calls = 1000
	s := newScript(t)
	n := s.made(s.root, "a")
	s.SetRules(Rule{Kind: Write, File: "a", Chance: 0.25, Fault: Fault{Err: syscall.EIO}})
	for range calls {
		_, _ = s.write(n, []byte("x"), 0)
	}
	if hits := s.Hits()[0]; hits < calls/8 || hits > calls/2 {
		t.Errorf("%d of %d", hits, calls)
	}
}

func TestUnsyncedIsWhatNoSyncCovers(t *testing.T) {
	s := newScript(t)
	n := s.synced("a", "text")
	s.wrote(n, "T", 0)
	s.made(s.root, "b")
	d := NewDisk()
	for _, o := range s.Journal() {
		d.Apply(&o)
	}
	var seen []string
	d.Unsynced(func(o *Operation) { seen = append(seen, string(o.Kind)+" "+o.Path) })
	if got := strings.Join(seen, ", "); got != "write a, create b" {
		t.Error(got)
	}
}

func TestContentIsWhatWasWrittenWhereverPagesEnd(t *testing.T) {
	c, want := newContent(), make([]byte, 5*pageBytes)
	random := rand.New(rand.NewPCG(3, 3))
	for range 500 {
		at, size := random.IntN(len(want)), random.IntN(2*pageBytes)
		data := bytes.Repeat([]byte{byte(random.IntN(256))}, min(size, len(want)-at))
		c.write(data, int64(at))
		copy(want[at:], data)
	}
	want = want[:c.size]
	got := make([]byte, 6*pageBytes)
	if n := c.read(got, 0); !bytes.Equal(got[:n], want) {
		t.Error("the bytes differ")
	}
	c.resize(pageBytes + 7)
	c.resize(3 * pageBytes)
	clear(want[pageBytes+7 : 3*pageBytes])
	if n := c.read(got, 0); !bytes.Equal(got[:n], want[:3*pageBytes]) {
		t.Error("the bytes differ after cutting and lengthening")
	}
}

package fusefs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The environment of a child that uses the mount: the process that serves it must not
// map its files.
const (
	actVariable = "HEADRACE_FUSEFS_ACT"
	dirVariable = "HEADRACE_FUSEFS_DIR"
)

const mappedBytes = 16 * pageBytes

// acts are what a child does to the file "a" in a directory.
var acts = map[string]func(path string) error{
	"write":        func(path string) error { return writeFile(path, (*os.File).Close) },
	"write, fsync": func(path string) error { return writeFile(path, (*os.File).Sync) },
	"write, fdatasync": func(path string) error {
		return writeFile(path, func(f *os.File) error { return unix.Fdatasync(int(f.Fd())) })
	},
	"map":               func(path string) error { return mapFile(path, func([]byte) error { return nil }) },
	"map, msync":        func(path string) error { return mapFile(path, msync) },
	"map, msync twice":  func(path string) error { return mapFile(path, msyncTwice) },
	"map, open, close":  func(path string) error { return mapFile(path, func([]byte) error { return openAndClose(path) }) },
	"read":              func(path string) error { _, err := os.ReadFile(path); return err },
	"map and read":      readMapped,
	"remove, sync dir":  func(path string) error { return errors.Join(os.Remove(path), syncDir(filepath.Dir(path))) },
	"note":              func(path string) error { return note(filepath.Dir(path), "one\n", "two\n") },
	"allocate, lock":    allocateAndLock,
	"rename, list":      renameAndList,
	"directory, remove": func(path string) error { return errors.Join(os.Mkdir(path, 0o700), os.Remove(path)) },
}

func TestMain(m *testing.M) {
	if act := acts[os.Getenv(actVariable)]; act != nil {
		if err := act(os.Getenv(dirVariable) + "/a"); err != nil {
			fmt.Fprintln(os.Stdout, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func writeFile(path string, then func(*os.File) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.WriteString("text")
	return errors.Join(err, then(f))
}

// mapFile writes to two pages of a mapped file, and ends without closing it.
func mapFile(path string, then func(mapped []byte) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Truncate(mappedBytes); err != nil {
		return err
	}
	mapped, err := unix.Mmap(int(f.Fd()), 0, mappedBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	mapped[1], mapped[5*pageBytes] = 'x', 'y'
	return then(mapped)
}

func msync(mapped []byte) error { return unix.Msync(mapped, unix.MS_SYNC) }

// msyncTwice gives the first error, and reports a second one as another.
func msyncTwice(mapped []byte) error {
	first := msync(mapped)
	if second := msync(mapped); second != nil {
		return fmt.Errorf("twice: %w", second)
	}
	return first
}

func openAndClose(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

func readMapped(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	mapped, err := unix.Mmap(int(f.Fd()), 0, pageBytes, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(os.Stdout, mapped[0])
	return err
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func note(dir string, lines ...string) error {
	f, err := os.OpenFile(filepath.Join(dir, NotesName), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if _, err := f.WriteString(line); err != nil {
			return err
		}
	}
	return f.Close()
}

// allocateAndLock does what Badger and the store do besides reading and writing.
func allocateAndLock(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := unix.Fallocate(int(f.Fd()), 0, 0, mappedBytes); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if blocks := info.Sys().(*syscall.Stat_t).Blocks; blocks*512 != mappedBytes || info.Size() != mappedBytes {
		return fmt.Errorf("%d blocks, %d bytes", blocks, info.Size())
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	var s unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &s); err != nil {
		return err
	}
	if free := s.Bavail * uint64(s.Bsize); free != capacityBytes-mappedBytes {
		return fmt.Errorf("%d bytes are free", free)
	}
	return nil
}

func renameAndList(path string) error {
	if err := errors.Join(os.WriteFile(path, []byte("text"), 0o600), os.Rename(path, path+"2")); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 || entries[0].Name() != "a2" {
		return fmt.Errorf("%v: %w", entries, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the old name: %w", err)
	}
	text, err := os.ReadFile(path + "2")
	if string(text) != "text" {
		return fmt.Errorf("read %q: %w", text, err)
	}
	return err
}

// mounted is a script with a mount.
type mounted struct {
	*script
	dir string
}

func mount(t *testing.T) *mounted {
	t.Helper()
	if os.Geteuid() != 0 {
		leaveOut(t, "needs root, to mount")
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		leaveOut(t, "needs /dev/fuse")
	}
	m := &mounted{newScript(t), t.TempDir()}
	mount, err := m.Mount(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := mount.Unmount(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// leaveOut skips a test, but not where everything must have run.
func leaveOut(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("NOT TESTED: %s", reason)
	}
	t.Skipf("NOT TESTED: %s", reason)
}

// act has a child do something, and gives what it said and how it ended.
func (m *mounted) act(name string) (said string, err error) {
	m.t.Helper()
	if acts[name] == nil {
		m.t.Fatalf("no act %q", name)
	}
	c := exec.CommandContext(m.t.Context(), os.Args[0])
	c.Env = append(os.Environ(), actVariable+"="+name, dirVariable+"="+m.dir)
	out, err := c.CombinedOutput()
	return string(out), err
}

func (m *mounted) mustAct(name string) {
	m.t.Helper()
	if said, err := m.act(name); err != nil {
		m.t.Fatalf("%s: %v: %s", name, err, said)
	}
}

func TestAMountSyncsWhatItsUsersSync(t *testing.T) {
	mapped := "\x00x" + strings.Repeat("\x00", 5*pageBytes-2) + "y" + strings.Repeat("\x00", mappedBytes-5*pageBytes-1)
	tests := []struct {
		act  string
		want map[string]string
	}{
		{"write", map[string]string{}},
		{"write, fsync", map[string]string{"a": "text"}},
		{"write, fdatasync", map[string]string{"a": "text"}},
		{"map", map[string]string{}},
		{"map, open, close", map[string]string{}},
		{"map, msync", map[string]string{"a": mapped}},
		{"rename, list", map[string]string{}},
		{"allocate, lock", map[string]string{}},
		{"directory, remove", map[string]string{}},
	}
	for _, test := range tests {
		t.Run(test.act, func(t *testing.T) {
			m := mount(t)
			m.mustAct(test.act)
			got := m.after(false, Survival{})
			if len(got) != len(test.want) || got["a"] != test.want["a"] {
				t.Errorf("found %.40q, expected %.40q", got, test.want)
			}
		})
	}
}

// TestAMappedPageIsSeenBeforeTheSync shows that the kernel hands pages over before the
// sync that makes them durable, and that opening and closing a file makes it do so.
func TestAMappedPageIsSeenBeforeTheSync(t *testing.T) {
	for _, act := range []string{"map, msync", "map, open, close"} {
		m := mount(t)
		m.mustAct(act)
		var order []Kind
		for _, o := range m.Journal() {
			order = append(order, o.Kind)
		}
		want := []Kind{Create, Truncate, Write, Write}
		if act == "map, msync" {
			want = append(want, Sync)
		}
		if !slices.Equal(order, want) {
			t.Errorf("%s: %v, expected %v", act, order, want)
		}
	}
}

func TestTheCallerIsToldOfAFault(t *testing.T) {
	eio, full := Fault{Err: syscall.EIO}, Fault{Err: syscall.ENOSPC}
	tests := map[string]struct {
		act  string
		rule Rule
		want string
	}{
		"write":                     {"write", Rule{Kind: Write, File: "a", Fault: full}, "no space left"},
		"create":                    {"write", Rule{Kind: Create, File: "a", Fault: full}, "no space left"},
		"fsync":                     {"write, fsync", Rule{Kind: Sync, File: "a", Fault: eio}, "input/output error"},
		"sync of the directory":     {"remove, sync dir", Rule{Kind: SyncDir, File: ".", Fault: eio}, "input/output error"},
		"read":                      {"read", Rule{Kind: Read, File: "a", Fault: eio}, "input/output error"},
		"truncate":                  {"map", Rule{Kind: Truncate, File: "a", Fault: full}, "no space left"},
		"remove":                    {"remove, sync dir", Rule{Kind: Remove, File: "a", Fault: eio}, "input/output error"},
		"rename":                    {"rename, list", Rule{Kind: Rename, File: "a", Fault: eio}, "input/output error"},
		"allocate":                  {"allocate, lock", Rule{Kind: Allocate, File: "a", Fault: full}, "no space left"},
		"msync":                     {"map, msync", Rule{Kind: Sync, File: "a", Fault: eio}, "input/output error"},
		"write-back of a page":      {"map, msync", Rule{Kind: Write, File: "a", Times: 1, Fault: eio}, "input/output error"},
		"a full disk, mapped":       {"map, msync", Rule{Kind: Write, File: "a", Times: 1, Fault: full}, "no space left"},
		"once, the next is well":    {"map, msync twice", Rule{Kind: Sync, File: "a", Times: 1, Fault: Fault{Err: syscall.EIO, Forget: true}}, "input/output error"},
		"a mapped page, unreadable": {"map and read", Rule{Kind: Read, File: "a", Fault: eio}, "SIGBUS"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := mount(t)
			if test.act == "read" || test.act == "map and read" || test.act == "remove, sync dir" {
				m.synced("a", "text")
			}
			m.SetRules(test.rule)
			said, err := m.act(test.act)
			if err == nil || !strings.Contains(said, test.want) || strings.Contains(said, "twice") {
				t.Errorf("%v: %.400s", err, said)
			}
			if m.Hits()[0] == 0 {
				t.Error("the fault was not met")
			}
		})
	}
}

func TestNotesStandInTheJournalAmongTheOperations(t *testing.T) {
	m := mount(t)
	m.mustAct("write")
	m.mustAct("note")
	var got strings.Builder
	for _, o := range m.Journal() {
		got.WriteString(string(o.Kind) + string(o.Data) + " ")
	}
	if got.String() != "create writetext noteone\n notetwo\n " {
		t.Errorf("%q", got.String())
	}
}

package starved

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/internal/serverproc"
)

// TestTooLittleIsRefusedAtStart: a server that would run into a limit does not begin,
// touches nothing, and says what to do.
func TestTooLittleIsRefusedAtStart(t *testing.T) {
	for name, c := range map[string]struct{ limits, says string }{
		"descriptors":   {"ulimit -n 1000", "ulimit -n"},
		"file size":     {"ulimit -f 1000000", "ulimit -f unlimited"},
		"address space": {"ulimit -v 100000000", "ulimit -v unlimited"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, filepath.Join(t.TempDir(), "data"))
			h.under(c.limits)
			if err := h.tryStart(); !errors.Is(err, serverproc.ErrExited) {
				t.Fatalf("start: %v", err)
			}
			if last := h.log.lastLine(); !strings.HasPrefix(last, "headrace: ") || !strings.Contains(last, c.says) {
				t.Errorf("the last line is %q", last)
			}
			if _, err := os.Stat(h.options.Dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the directory was touched: %v", err)
			}
		})
	}
}

// fallingLimits are limits that somebody lowers under a server: seen is low enough
// for it to stop, met so low that no further file can be made. says is what it says.
var fallingLimits = map[string]struct {
	resource  int
	seen, met uint64
	says      string
}{
	"descriptors":   {unix.RLIMIT_NOFILE, 24, 8, "descriptors are in use"},
	"file size":     {unix.RLIMIT_FSIZE, 1 << 30, 1 << 20, "file sizes are limited"},
	"address space": {unix.RLIMIT_AS, 1 << 40, 1 << 30, "address space is limited"},
}

// TestLimitThatFallsStopsTheServer: a limit that falls under load ends the server
// before the store runs into it, the last line says why, and a restart has it all.
func TestLimitThatFallsStopsTheServer(t *testing.T) {
	for name, l := range fallingLimits {
		t.Run(name, func(t *testing.T) {
			h, c := underLoad(t, 4<<10)
			c.awaitConfirmed(1000)
			h.limit(l.resource, l.seen)
			h.awaitEnd()
			last := h.log.lastLine()
			if !strings.HasPrefix(last, "headrace: the store failed") || !strings.Contains(last, l.says) || h.ExitCode() != 1 {
				t.Errorf("exit code %d, the last line is %q", h.ExitCode(), last)
			}
			h.start()
			c.awaitConfirmed(1000)
			c.stop()
			c.audit()
		})
	}
}

// TestLimitIsMetBeforeItIsSeen: a limit that falls just before a file ends, so that
// the store runs into it. However the server ends, a restart has it all.
func TestLimitIsMetBeforeItIsSeen(t *testing.T) {
	rounds := 1
	if *long {
		rounds = 10
	}
	for name, l := range fallingLimits {
		t.Run(name, func(t *testing.T) {
			h, c := underLoad(t, 64<<10)
			for range rounds {
				h.awaitRotation()
				h.limit(l.resource, l.met)
				h.awaitEnd()
				t.Logf("exit code %d, the last line is %q", h.ExitCode(), h.log.lastLine())
				h.start()
				c.awaitConfirmed(100)
			}
			c.stop()
			c.audit()
		})
	}
}

// TestOutOfMemory gives a server too little memory for its load: the system kills it,
// again and again, and a restart has it all.
func TestOutOfMemory(t *testing.T) {
	rounds := 2
	if *long {
		rounds = 20
	}
	g := newMemoryGroup(t)
	h, c := underLoad(t, 64<<10)
	h.under(g.enter())
	for range rounds {
		h.Kill()
		g.limit(96 << 20)
		h.start()
		h.awaitEnd()
		if h.ExitCode() != -1 {
			t.Errorf("exit code %d, the last line is %q", h.ExitCode(), h.log.lastLine())
		}
		g.limit(1 << 30)
		h.start()
		c.awaitConfirmed(100)
	}
	c.stop()
	c.audit()
}

// underLoad is a server with clients that publish and ack, until they are stopped.
func underLoad(t *testing.T, size int) (*host, *clients) {
	t.Helper()
	h := newHost(t, filepath.Join(t.TempDir(), "data"))
	h.start()
	c := newClients(h, &headracev1.Topic{})
	c.subscribe(auditName)
	c.stop = c.load(size)
	return h, c
}

// awaitRotation waits until a value log is about to end.
func (h *host) awaitRotation() {
	h.t.Helper()
	const nearlyFullBytes = 120 << 20
	eventually(h.t, "a value log that is nearly full", func() bool {
		logs, err := filepath.Glob(filepath.Join(h.options.Dir, "badger", "*.vlog"))
		if err != nil || len(logs) == 0 {
			return false
		}
		var s unix.Stat_t
		if err := unix.Stat(slices.Max(logs), &s); err != nil {
			h.t.Fatal(err)
		}
		return s.Blocks*512 > nearlyFullBytes
	})
}

// memoryGroup is a control group with a limit of memory.
type memoryGroup struct {
	t   *testing.T
	dir string
}

func newMemoryGroup(t *testing.T) *memoryGroup {
	t.Helper()
	dir := "/sys/fs/cgroup/memory/headrace-starved-" + strconv.Itoa(os.Getpid())
	if err := os.Mkdir(dir, 0o700); err != nil {
		leaveOut(t, "needs root and a memory controller at /sys/fs/cgroup/memory: "+err.Error())
	}
	t.Cleanup(func() {
		if err := os.Remove(dir); err != nil {
			t.Error(err)
		}
	})
	return &memoryGroup{t, dir}
}

// enter is the shell command that enters the group.
func (g *memoryGroup) enter() string { return "echo $$ > " + g.dir + "/cgroup.procs" }

func (g *memoryGroup) limit(bytes int) {
	g.t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, "memory.limit_in_bytes"), []byte(strconv.Itoa(bytes)), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

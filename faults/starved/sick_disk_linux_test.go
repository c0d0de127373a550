package starved

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headrace/headrace/faults/fusefs"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// sickDisk is a file system whose calls can be made to fail.
type sickDisk struct {
	*fusefs.FS

	t     *testing.T
	dir   string
	mount *fusefs.Mount
}

func newSickDisk(t *testing.T) *sickDisk {
	t.Helper()
	if os.Geteuid() != 0 {
		leaveOut(t, "needs root, to mount")
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		leaveOut(t, "needs /dev/fuse")
	}
	d := &sickDisk{FS: fusefs.New(1), t: t, dir: t.TempDir()}
	d.plug()
	t.Cleanup(d.unplug)
	return d
}

func (d *sickDisk) plug() {
	d.t.Helper()
	m, err := d.Mount(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	d.mount = m
}

// unplug forgets what the system has read of the disk's files.
func (d *sickDisk) unplug() {
	d.t.Helper()
	if err := d.mount.Unmount(); err != nil {
		d.t.Error(err)
	}
}

// underLoad is a server on the disk, with clients that publish and ack.
func (d *sickDisk) underLoad() (*host, *clients) {
	d.t.Helper()
	h := newHost(d.t, filepath.Join(d.dir, "data"))
	h.start()
	c := newClients(h, &headracev1.Topic{})
	c.subscribe(auditName)
	c.stop = c.load(4 << 10)
	c.awaitConfirmed(100)
	return h, c
}

// stoppedServer is a server on the disk that was stopped in order, twice, with messages
// in two value logs, and of which the system has read nothing.
func (d *sickDisk) stoppedServer() (*host, *clients) {
	d.t.Helper()
	h, c := d.underLoad()
	for range 2 {
		c.stop()
		if err := h.Stop(); err != nil {
			d.t.Fatal(err)
		}
		h.start()
		c.stop = c.load(4 << 10)
		c.awaitConfirmed(100)
	}
	c.stop()
	if err := h.Stop(); err != nil {
		d.t.Fatal(err)
	}
	d.unplug()
	d.plug()
	return h, c
}

// mustSay fails the test unless the server has ended with a line that begins so.
func (h *host) mustSay(begin string) {
	h.t.Helper()
	last := h.log.lastLine()
	if !strings.HasPrefix(last, begin) || h.ExitCode() != 1 {
		h.t.Errorf("exit code %d, the last line is %q", h.ExitCode(), last)
	}
	h.t.Logf("the last line is %q", last)
}

// wellAgain has the next server find everything.
func (d *sickDisk) wellAgain(h *host, c *clients) {
	d.t.Helper()
	d.SetRules()
	h.start()
	c.stop = c.load(4 << 10)
	c.awaitConfirmed(10)
	c.stop()
	c.audit()
	h.Kill()
}

// afterACut is the data directory as a cut of the power leaves it, on another disk.
func (d *sickDisk) afterACut() (dir string) {
	d.t.Helper()
	disk := fusefs.NewDisk()
	for _, o := range d.Journal() {
		disk.Apply(&o)
	}
	image := d.t.TempDir()
	if err := disk.WriteImage(image, fusefs.Survival{}); err != nil {
		d.t.Fatal(err)
	}
	return filepath.Join(image, "data")
}

package starved

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/headrace/headrace/faults/fusefs"
	"github.com/headrace/headrace/internal/serverproc"
	"github.com/headrace/headrace/sdk/go"
)

// TestAWriteOrSyncThatFailsStopsTheServer: whatever file it is, the server acknowledges
// nothing more, ends with exit code 1 and says why in its last line; on a disk that is
// well again a restart has everything that was acknowledged.
func TestAWriteOrSyncThatFailsStopsTheServer(t *testing.T) {
	t.Parallel()
	broken, full := fusefs.Fault{Err: syscall.EIO}, fusefs.Fault{Err: syscall.ENOSPC}
	forgets := fusefs.Fault{Err: syscall.EIO, Forget: true}
	for name, rule := range map[string]fusefs.Rule{
		"write-ahead log, write":               {Kind: fusefs.Write, File: "*.mem", Fault: broken},
		"write-ahead log, no room":             {Kind: fusefs.Write, File: "*.mem", Fault: full},
		"write-ahead log, torn write":          {Kind: fusefs.Write, File: "*.mem", Fault: fusefs.Fault{Err: syscall.EIO, KeepBytes: 512}},
		"write-ahead log, sync":                {Kind: fusefs.Sync, File: "*.mem", Fault: broken},
		"write-ahead log, sync, once, forgets": {Kind: fusefs.Sync, File: "*.mem", Times: 1, Fault: forgets},
		"value log, write":                     {Kind: fusefs.Write, File: "*.vlog", Fault: broken},
		"value log, no room":                   {Kind: fusefs.Write, File: "*.vlog", Fault: full},
		"value log, sync":                      {Kind: fusefs.Sync, File: "*.vlog", Fault: broken},
		"value log, sync, once, forgets":       {Kind: fusefs.Sync, File: "*.vlog", After: 1, Times: 1, Fault: forgets},
		"commit ledger, write":                 {Kind: fusefs.Write, File: "ledger", Fault: broken},
		"commit ledger, no room":               {Kind: fusefs.Write, File: "ledger", Fault: full},
		"commit ledger, sync":                  {Kind: fusefs.Sync, File: "ledger", Fault: broken},
		"commit ledger, sync, once, forgets":   {Kind: fusefs.Sync, File: "ledger", Times: 1, Fault: forgets},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newSickDisk(t)
			h, c := d.underLoad()
			d.SetRules(rule)
			h.awaitEnd()
			h.mustSay("headrace: the store failed")
			c.stop()
			if rule.Fault.Forget {
				h.options.Dir = d.afterACut()
			}
			d.wellAgain(h, c)
		})
	}
}

// TestADiskThatCannotBeReadIsNotServed: a server that cannot read its files as it
// starts ends with exit code 1 and says so; nothing is lost by that.
func TestADiskThatCannotBeReadIsNotServed(t *testing.T) {
	t.Parallel()
	for file, says := range map[string]string{
		"FORMAT": "input/output error", "ledger": "input/output error", "MANIFEST": "input/output error",
		"*.sst": "input/output error", "*.vlog": "cannot be read", "000001.vlog": "cannot be read",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			d := newSickDisk(t)
			h, c := d.stoppedServer()
			d.SetRules(fusefs.Rule{Kind: fusefs.Read, File: file, Fault: fusefs.Fault{Err: syscall.EIO}})
			if err := h.tryStart(); !errors.Is(err, serverproc.ErrExited) {
				t.Fatalf("start: %v", err)
			}
			if last := h.log.lastLine(); !strings.HasPrefix(last, "headrace: ") || !strings.Contains(last, says) {
				t.Errorf("the last line is %q", last)
			}
			d.wellAgain(h, c)
		})
	}
}

// TestAPageThatCannotBeReadStopsTheServer: messages that lie in an old value log are
// read by somebody who lags, and cannot be. The server ends and says so.
func TestAPageThatCannotBeReadStopsTheServer(t *testing.T) {
	d := newSickDisk(t)
	h, c := d.stoppedServer()
	h.start()
	d.SetRules(fusefs.Rule{Kind: fusefs.Read, File: "000001.vlog", Fault: fusefs.Fault{Err: syscall.EIO}})
	stop := c.lag()
	h.awaitEnd()
	stop()
	h.mustSay("headrace: the store failed: one of badger's files cannot be read")
	d.wellAgain(h, c)
}

// lag reads what is there as a new reader does, and acks nothing, until stop is called.
func (c *clients) lag() (stop func()) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for d, err := range c.client.Subscription(auditName).Deliveries(ctx, headrace.WithReleaseOnStop()) {
			if err != nil {
				return
			}
			d.Release()
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// TestAStoreThatCannotBeMadeIsMadeLater: whatever fails while a store is made, the
// server does not serve; on a disk that is well again the next one makes it.
func TestAStoreThatCannotBeMadeIsMadeLater(t *testing.T) {
	broken, full := fusefs.Fault{Err: syscall.EIO}, fusefs.Fault{Err: syscall.ENOSPC}
	for name, rule := range map[string]fusefs.Rule{
		"format file, write":         {Kind: fusefs.Write, File: "FORMAT*", Fault: broken},
		"format file, no room":       {Kind: fusefs.Create, File: "FORMAT*", Fault: full},
		"format file, sync":          {Kind: fusefs.Sync, File: "FORMAT*", Fault: broken},
		"format file, name":          {Kind: fusefs.Rename, File: "FORMAT*", Fault: broken},
		"directory, sync":            {Kind: fusefs.SyncDir, File: "data", Fault: broken},
		"commit ledger, write":       {Kind: fusefs.Write, File: "ledger*", Fault: full},
		"commit ledger, sync":        {Kind: fusefs.Sync, File: "ledger*", Fault: broken},
		"manifest, write":            {Kind: fusefs.Write, File: "MANIFEST*", Fault: broken},
		"manifest, sync":             {Kind: fusefs.Sync, File: "MANIFEST*", Fault: broken},
		"write-ahead log, no room":   {Kind: fusefs.Create, File: "*.mem", Fault: full},
		"write-ahead log, size":      {Kind: fusefs.Truncate, File: "*.mem", Fault: broken},
		"value log, no room":         {Kind: fusefs.Create, File: "*.vlog", Fault: full},
		"the first sync of all logs": {Kind: fusefs.Sync, File: "*.mem", Fault: broken},
	} {
		t.Run(name, func(t *testing.T) {
			d := newSickDisk(t)
			d.SetRules(rule)
			h := newHost(t, filepath.Join(d.dir, "data"))
			if err := h.tryStart(); !errors.Is(err, serverproc.ErrExited) {
				t.Fatalf("start: %v", err)
			}
			if last := h.log.lastLine(); !strings.HasPrefix(last, "headrace: ") {
				t.Errorf("the last line is %q", last)
			}
			d.SetRules()
			h.start()
			h.Kill()
		})
	}
}

// TestACloseThatFailsLosesNothing: what cannot be written as the server stops is there
// after the next start all the same.
func TestACloseThatFailsLosesNothing(t *testing.T) {
	t.Parallel()
	broken := fusefs.Fault{Err: syscall.EIO}
	for name, rule := range map[string]fusefs.Rule{
		"manifest, write": {Kind: fusefs.Write, File: "MANIFEST", Fault: broken},
		"table, create":   {Kind: fusefs.Create, File: "*.sst", Fault: broken},
		"table, write":    {Kind: fusefs.Write, File: "*.sst", Fault: broken},
		"table, sync":     {Kind: fusefs.Sync, File: "*.sst", Fault: broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newSickDisk(t)
			h, c := d.underLoad()
			c.stop()
			d.SetRules(rule)
			if err := h.Stop(); err == nil || h.ExitCode() != 1 {
				t.Errorf("stop: %v, exit code %d", err, h.ExitCode())
			}
			t.Logf("the last line is %q", h.log.lastLine())
			d.wellAgain(h, c)
		})
	}
}

// TestAManifestThatIsNotSyncedNamesATableThatIsGone: Badger writes a table, names it,
// fails to sync that, and removes the table. As long as the system remembers what was
// written the store refuses to open and names the table; nothing is lost: after a cut
// of the power, which forgets it, everything is there.
func TestAManifestThatIsNotSyncedNamesATableThatIsGone(t *testing.T) {
	d := newSickDisk(t)
	h, c := d.underLoad()
	c.stop()
	d.SetRules(fusefs.Rule{Kind: fusefs.Sync, File: "MANIFEST", Fault: fusefs.Fault{Err: syscall.EIO}})
	if err := h.Stop(); err == nil || h.ExitCode() != 1 {
		t.Errorf("stop: %v, exit code %d", err, h.ExitCode())
	}
	d.SetRules()
	if err := h.tryStart(); !errors.Is(err, serverproc.ErrExited) {
		t.Fatalf("start: %v", err)
	}
	if last := h.log.lastLine(); !strings.Contains(last, "table 000001.sst: the file is missing") {
		t.Errorf("the last line is %q", last)
	}
	h.options.Dir = d.afterACut()
	d.wellAgain(h, c)
}

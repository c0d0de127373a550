package replay

import (
	"context"
	"errors"
	"path"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/headrace/headrace/faults/fusefs"
	"github.com/headrace/headrace/faults/shardload"
	"github.com/headrace/headrace/storage"
)

const (
	// redCuts is how many cuts a broken store gets until it is caught, redLife how
	// long its victims live.
	redCuts = 60
	redLife = 300 * time.Millisecond
	// sickLife is what a victim may take to end after a sync has failed.
	sickLife = time.Minute
	// redSyncs is how many syncs of a value log are tried, one after the other.
	redSyncs = 12
)

// noLedgerSync is a store whose commit ledger is not synced.
var noLedgerSync = shardload.Mutant{
	File: "storage/badgerlog/ledger.go", From: "err := syncData(l.file)", To: "err := error(nil)",
}

// TestAStoreThatPromisesTooEarlyIsCaught gives the harness a store that answers before
// the disk has.
func TestAStoreThatPromisesTooEarlyIsCaught(t *testing.T) {
	c := newCampaign(t)
	c.Hasty = true
	wantCaught(t, c)
}

// TestAStoreThatDoesNotSyncIsCaught builds victims that lack one sync each.
func TestAStoreThatDoesNotSyncIsCaught(t *testing.T) {
	mutants := map[string]shardload.Mutant{
		"Badger":        {File: "storage/badgerlog/options.go", From: "b.SyncWrites = true", To: "b.SyncWrites = false"},
		"format file":   {File: "storage/badgerlog/format.go", From: "err = f.Sync()", To: "err = nil"},
		"format's name": {File: "storage/badgerlog/format.go", From: "errors.Join(dir.Sync(), dir.Close())", To: "dir.Close()"},
	}
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			c := newCampaign(t)
			c.Binary = buildMutant(t, m)
			wantCaught(t, c)
		})
	}
}

func wantCaught(t *testing.T, c *Campaign) {
	t.Helper()
	c.Cuts, c.Loads, c.Life = redCuts, 1, redLife
	result, err := c.Run(t.Context())
	if !errors.Is(err, shardload.ErrPromiseBroken) {
		t.Fatalf("%+v: %v; nobody noticed", result, err)
	}
	text := err.Error()
	t.Logf("caught at cut %d: %s", result.Cuts, text[:min(len(text), 500)])
}

// TestAValueLogSyncThatFailsIsNotAcknowledged has one sync of the value log fail and
// lose its pages; Badger only logs that.
func TestAValueLogSyncThatFailsIsNotAcknowledged(t *testing.T) {
	for _, well := range []int{1, 3, 4, 5} {
		if ended, err := sick(t, newCampaign(t), well, sickLife); !ended || err != nil {
			t.Errorf("after %d syncs; the victim ended: %t; %v", well, ended, err)
		}
	}
}

// TestAStoreThatDoesNotHeedBadgersLogIsCaught is the same without the guard.
func TestAStoreThatDoesNotHeedBadgersLogIsCaught(t *testing.T) {
	c := newCampaign(t)
	c.Binary = buildMutant(t, shardload.Mutant{
		File: "storage/badgerlog/logger.go",
		From: "Errorf(format string, args ...any) {", To: "Errorf(format string, args ...any) {\n\treturn",
	})
	if _, err := sick(t, c, 3, redLife); !errors.Is(err, shardload.ErrPromiseBroken) {
		t.Errorf("%v; nobody noticed", err)
	} else {
		t.Logf("caught: %.400s", err.Error())
	}
}

// TestAWriterThatGoesOnAfterAFailedSyncIsCaught is the same with a store that stops,
// but lets Badger's writer go on: what it writes points to values that are not there.
func TestAWriterThatGoesOnAfterAFailedSyncIsCaught(t *testing.T) {
	binary := buildMutant(t, shardload.Mutant{
		File: "storage/badgerlog/logger.go", From: "if containsAny(format, writerErrors) {", To: "if false {",
	})
	for well := range redSyncs {
		c := newCampaign(t)
		c.Binary = binary
		if _, err := sick(t, c, well, sickLife); errors.Is(err, shardload.ErrPromiseBroken) {
			t.Logf("caught after %d syncs: %.400s", well, err.Error())
			return
		}
	}
	t.Error("nobody noticed")
}

// sick has the syncs of value logs fail under load, after some that went well. It says whether the victim ended by
// itself, and what is wrong with what a cut leaves then.
func sick(t *testing.T, c *Campaign, well int, life time.Duration) (ended bool, err error) {
	t.Helper()
	r := c.start(0, t.Output(), &Result{ByClass: map[Class]int{}})
	r.nothingUnsynced = true
	rule := fusefs.Rule{Kind: fusefs.Sync, File: "*.vlog", After: well, Fault: fusefs.Fault{Err: syscall.EIO, Forget: true}}
	load := func(ctx context.Context) error {
		v, err := r.start(ctx, &shardload.Ledger{})
		if err != nil {
			return err
		}
		r.fs.SetRules(rule)
		ended = v.Live(ctx, life) != nil
		if !ended && r.fs.Hits()[0] == 0 {
			return errors.New("no sync failed")
		}
		return v.Kill()
	}
	if err := r.load(t.Context(), load); err != nil {
		t.Fatal(err)
	}
	journal := r.fs.Journal()
	return ended, r.replay(t.Context(), journal, []moment{{at: len(journal)}})
}

// TestAWriteAheadLogThatLostItsTailIsFoundByTheLedger takes a disk that lied about the
// last syncs of the write-ahead log: the commit ledger is the only witness, and the
// store refuses to open.
func TestAWriteAheadLogThatLostItsTailIsFoundByTheLedger(t *testing.T) {
	if err := lyingDisk(t, newCampaign(t)); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("%v; the store opened", err)
	}
}

// TestALedgerThatIsNotSyncedIsNoWitness is the same without the guard: acknowledged
// messages are gone, and the store opens as if nothing had been.
func TestALedgerThatIsNotSyncedIsNoWitness(t *testing.T) {
	c := newCampaign(t)
	c.Binary = buildMutant(t, noLedgerSync)
	err := lyingDisk(t, c)
	if !errors.Is(err, shardload.ErrPromiseBroken) || errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("%v; nobody noticed", err)
	}
}

// lyingDisk loads a store and looks what a cut leaves when the disk has lied about the
// last syncs of the write-ahead log.
func lyingDisk(t *testing.T, c *Campaign) error {
	t.Helper()
	const lies = 8
	r := c.start(0, t.Output(), &Result{ByClass: map[Class]int{}})
	load := func(ctx context.Context) error {
		v, err := r.start(ctx, &shardload.Ledger{})
		if err != nil {
			return err
		}
		return errors.Join(v.Live(ctx, redLife), v.Kill())
	}
	if err := r.load(t.Context(), load); err != nil {
		t.Fatal(err)
	}
	journal := slices.Clone(r.fs.Journal())
	left := lies
	for i := len(journal) - 1; i >= 0 && left > 0; i-- {
		if o := &journal[i]; o.Kind == fusefs.Sync && path.Ext(o.Path) == ".mem" {
			o.Forgot = true
			left--
		}
	}
	r.nothingUnsynced = true
	return r.replay(t.Context(), journal, []moment{{at: len(journal)}})
}

func buildMutant(t *testing.T, m shardload.Mutant) (binary string) {
	t.Helper()
	binary, err := shardload.BuildMutant(t.Context(), "../..", t.TempDir(), m)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

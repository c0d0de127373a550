package powercut

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/headrace/headrace/faults/shardload"
)

// Campaign is a series of power cuts to one store.
type Campaign struct {
	// Rounds is how many times the store is loaded, cut and inspected. Seed gives
	// all of what is random here; the scheduler's part stays its own.
	Rounds int
	Seed   uint64
	// Binary is started as the victim: its main calls shardload.PlayVictim. Inspector
	// is started to look what is there: its main calls shardload.PlayInspector.
	Binary, Inspector string
	// Hasty makes the victim promise too early.
	Hasty bool
	// Dir gets the image, and what victims log.
	Dir string
	// Logf tells how it goes.
	Logf func(format string, args ...any)
}

// Result is what a campaign did.
type Result struct {
	// Rounds ended well; Cuts counts all, those in recovery and in closing too.
	Rounds, Cuts, InCreation, InRecovery, InClosing int
	shardload.Counts
	// Collected counts the value logs whose collection began.
	Collected int
	// Rotated counts the memtables, value logs and tables that were begun under load,
	// by the extensions of their files.
	Rotated map[string]int
}

// The moments of cuts.
const (
	// loadTime is how long a victim lives under load at most; one in longEvery lives
	// up to longTime, so that memtables are flushed and the value log is collected.
	loadTime, longTime, longEvery = time.Second, 6 * time.Second, 4
	// closeTime is the same for one that closes, recoverTime for one that starts.
	closeTime, recoverTime = 200 * time.Millisecond, 250 * time.Millisecond
	// One round in so many has a second cut in the recovery from the first, one is
	// cut as it closes.
	recoverEvery, closeEvery = 3, 4
	// creations is how many stores are cut while they are made, before the one that
	// stays.
	creations = 3
)

// Run makes the campaign's rounds. The error is shardload.ErrPromiseBroken, with everything
// that is wrong, or one of the machine's.
func (c *Campaign) Run(ctx context.Context) (Result, error) {
	logPath := filepath.Join(c.Dir, "victims.log")
	log, err := os.Create(logPath)
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = log.Close() }()
	d, err := newDisk(ctx, c.Dir)
	if err != nil {
		return Result{}, err
	}
	r := &running{
		Campaign: c, disk: d, log: log, ledger: &shardload.Ledger{},
		random: rand.New(rand.NewPCG(c.Seed, 0)),
		result: Result{Rotated: map[string]int{}},
	}
	err = r.rounds(ctx)
	r.result.Counts = r.ledger.Counts()
	text, readErr := os.ReadFile(logPath)
	err = errors.Join(err, readErr)
	r.result.Collected = strings.Count(string(text), "Rewriting fid")
	// The test's context may be over, and the mount must go all the same.
	return r.result, errors.Join(err, d.unmount(context.WithoutCancel(ctx)))
}

// running is a campaign under way.
type running struct {
	*Campaign
	disk   *disk
	log    io.Writer
	ledger *shardload.Ledger
	random *rand.Rand
	result Result
	lives  int
}

func (r *running) rounds(ctx context.Context) error {
	for range creations {
		if err := r.creation(ctx); err != nil {
			return fmt.Errorf("seed %d, creation %d: %w", r.Seed, r.result.InCreation, err)
		}
	}
	for round := range r.Rounds {
		if err := r.round(ctx); err != nil {
			return fmt.Errorf("seed %d, round %d: %w", r.Seed, round, err)
		}
		r.result.Rounds++
	}
	return nil
}

// creation cuts a store that is being made, looks what is there, and clears it away.
func (r *running) creation(ctx context.Context) error {
	r.result.InCreation++
	if err := r.cutEarly(ctx); err != nil {
		return err
	}
	if err := r.inspect(ctx); err != nil {
		return err
	}
	r.ledger.Forget()
	return os.RemoveAll(r.disk.storeDir())
}

// round cuts the power once or twice, and looks what is there.
func (r *running) round(ctx context.Context) error {
	if err := r.cutUnderLoad(ctx); err != nil {
		return err
	}
	if r.random.IntN(recoverEvery) == 0 {
		r.result.InRecovery++
		if err := r.cutEarly(ctx); err != nil {
			return err
		}
	}
	return r.inspect(ctx)
}

// inspect compares what is there with what was promised.
func (r *running) inspect(ctx context.Context) error {
	found, err := shardload.InspectApart(ctx, r.Inspector, r.disk.storeDir(), r.log)
	if err != nil {
		return fmt.Errorf("%w: %w", shardload.ErrPromiseBroken, err)
	}
	if wrong := shardload.Check(r.ledger, found); len(wrong) > 0 {
		return fmt.Errorf("%w:\n%s", shardload.ErrPromiseBroken, strings.Join(wrong, "\n"))
	}
	r.ledger.Adopt(found)
	return nil
}

// cutUnderLoad cuts at a random moment of the load, or soon after its end.
func (r *running) cutUnderLoad(ctx context.Context) error {
	v, err := r.start(ctx)
	if err != nil {
		return err
	}
	<-v.Ready()
	before := r.disk.newestFiles()
	life := r.moment(loadTime)
	if r.random.IntN(longEvery) == 0 {
		life = r.moment(longTime)
	}
	if err := v.Live(ctx, life); err != nil {
		return r.failed(ctx, v, err)
	}
	r.countRotated(before)
	if closing := r.random.IntN(closeEvery) == 0; !closing {
		return r.cut(ctx, v)
	}
	r.result.InClosing++
	if err := v.Close(); err != nil {
		return err
	}
	return r.cutAfter(ctx, v, r.moment(closeTime))
}

// cutEarly cuts a victim that has just been started, and makes its store or recovers.
func (r *running) cutEarly(ctx context.Context) error {
	v, err := r.start(ctx)
	if err != nil {
		return err
	}
	return r.cutAfter(ctx, v, r.moment(recoverTime))
}

// cutAfter cuts the power of a victim after a time.
func (r *running) cutAfter(ctx context.Context, v *shardload.Victim, life time.Duration) error {
	if err := v.Live(ctx, life); err != nil {
		return r.failed(ctx, v, err)
	}
	return r.cut(ctx, v)
}

// failed ends a victim that failed by itself, which is a broken promise too.
func (r *running) failed(ctx context.Context, v *shardload.Victim, err error) error {
	return errors.Join(fmt.Errorf("%w: the victim failed before the cut: %w", shardload.ErrPromiseBroken, err), r.cut(ctx, v))
}

func (r *running) countRotated(before map[string]int) {
	for ext, number := range r.disk.newestFiles() {
		r.result.Rotated[ext] += number - before[ext]
	}
}

func (r *running) start(ctx context.Context) (*shardload.Victim, error) {
	r.lives++
	return shardload.StartVictim(ctx, shardload.VictimOptions{
		Binary: r.Binary, Dir: r.disk.storeDir(), Seed: r.Seed, Life: r.lives, Hasty: r.Hasty,
		Ledger: r.ledger, Log: r.log,
	})
}

// cut takes the power, ends the victim, and gives the power back.
func (r *running) cut(ctx context.Context, v *shardload.Victim) error {
	r.result.Cuts++
	r.Logf("cut %d", r.result.Cuts)
	r.ledger.Cut()
	err := errors.Join(r.disk.cut(), v.Kill(), r.disk.restore(ctx))
	r.ledger.Restored()
	return err
}

// moment is a random time below a bound.
func (r *running) moment(below time.Duration) time.Duration {
	return time.Duration(r.random.Int64N(int64(below))).Truncate(time.Millisecond)
}

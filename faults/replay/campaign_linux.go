package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/headrace/headrace/faults/fusefs"
	"github.com/headrace/headrace/faults/shardload"
)

// Campaign is loads whose journals are cut at many moments.
type Campaign struct {
	// Cuts is how many moments there are of each load, Loads how many loads. Seed
	// gives all of what is random here; the scheduler's part stays its own.
	Cuts, Loads int
	Seed        uint64
	// Life is how long a victim under which files rotate lives.
	Life time.Duration
	// Strict takes a disk on which a name is durable only when its directory was
	// synced.
	Strict bool
	// Binary is started as the victim: its main calls shardload.PlayVictim.
	Binary string
	// Hasty makes the victim promise too early.
	Hasty bool
	// Dir gets the mount and what victims log, Images the disks as they were at a cut:
	// it should be in memory, for their stores sync as any other.
	Dir, Images string
	// Logf tells how it goes.
	Logf func(format string, args ...any)
}

// Result is what a campaign did.
type Result struct {
	// Cuts counts the moments, ByClass those of each class.
	Cuts    int
	ByClass map[Class]int
	// Operations and Flushes are those of the journals.
	Operations, Flushes int
	// Counts are those of the promises, at the end of each load.
	shardload.Counts
}

// killTime bounds how long a victim lives under load before it is killed.
const killTime = 300 * time.Millisecond

// settleOperations is after how many operations a changed name is durable by itself.
// Without it the disk would keep every file that ever was.
const settleOperations = 2000

// Run makes the campaign's loads and cuts. The error is ErrPromiseBroken, with
// everything that is wrong at the first cut that shows something, or one of the
// machine's.
func (c *Campaign) Run(ctx context.Context) (Result, error) {
	log, err := os.Create(filepath.Join(c.Dir, "victims.log"))
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = log.Close() }()
	result := Result{ByClass: map[Class]int{}}
	for n := range c.Loads {
		if err := c.start(n, log, &result).run(ctx); err != nil {
			return result, fmt.Errorf("seed %d, load %d: %w", c.Seed, n, err)
		}
	}
	return result, nil
}

// start is the beginning of the n-th load.
func (c *Campaign) start(n int, log io.Writer, result *Result) *running {
	return &running{
		Campaign: c, log: log, result: result,
		random: rand.New(rand.NewPCG(c.Seed, uint64(n))),
		fs:     fusefs.New(c.Seed), mount: filepath.Join(c.Dir, fmt.Sprintf("mount-%d", n)),
	}
}

// running is one load of a campaign.
type running struct {
	*Campaign
	fs     *fusefs.FS
	mount  string
	log    io.Writer
	random *rand.Rand
	result *Result
	lives  int
	// nothingUnsynced: of what was not synced nothing survives.
	nothingUnsynced bool
}

func (r *running) run(ctx context.Context) error {
	if err := r.load(ctx, r.victims); err != nil {
		return err
	}
	journal := r.fs.Journal()
	all := survey(journal)
	r.result.Operations += len(journal)
	r.result.Flushes += len(all)
	return r.replay(ctx, journal, choose(all, r.Cuts, r.random))
}

// load mounts the file system while victims live on it.
func (r *running) load(ctx context.Context, victims func(context.Context) error) error {
	if err := os.Mkdir(r.mount, 0o700); err != nil {
		return err
	}
	m, err := r.fs.Mount(r.mount)
	if err != nil {
		return err
	}
	err = victims(ctx)
	return errors.Join(err, m.Unmount(), os.Remove(r.mount))
}

// victims live one after the other.
func (r *running) victims(ctx context.Context) error {
	ledger := &shardload.Ledger{}
	lives := []func(context.Context, *shardload.Ledger) error{r.killed, r.killed, r.closed, r.killed, r.closed}
	for _, live := range lives {
		if err := live(ctx, ledger); err != nil {
			return err
		}
	}
	counts := ledger.Counts()
	r.result.Published += counts.Published
	r.result.Confirmed += counts.Confirmed
	return nil
}

// killed is the life of a victim that is killed under load.
func (r *running) killed(ctx context.Context, ledger *shardload.Ledger) error {
	v, err := r.start(ctx, ledger)
	if err != nil {
		return err
	}
	err = v.Live(ctx, time.Duration(r.random.Int64N(int64(killTime))))
	return errors.Join(err, v.Kill())
}

// closed is the life of a victim that closes its store in order, after some time.
func (r *running) closed(ctx context.Context, ledger *shardload.Ledger) error {
	v, err := r.start(ctx, ledger)
	if err != nil {
		return err
	}
	if err := v.Live(ctx, r.Life); err != nil {
		return errors.Join(err, v.Kill())
	}
	r.phase(closing)
	return errors.Join(v.Close(), v.Wait())
}

// start starts a victim and waits until it is ready.
func (r *running) start(ctx context.Context, ledger *shardload.Ledger) (*shardload.Victim, error) {
	if r.lives > 0 {
		r.phase(recovering)
	}
	r.lives++
	v, err := shardload.StartVictim(ctx, shardload.VictimOptions{
		Binary: r.Binary, Dir: filepath.Join(r.mount, "store"), Seed: r.random.Uint64(), Life: r.lives, Hasty: r.Hasty,
		Notes: filepath.Join(r.mount, fusefs.NotesName), Stir: true, Ledger: ledger, Log: r.log,
	})
	if err != nil {
		return nil, err
	}
	<-v.Ready()
	r.phase(loading)
	return v, nil
}

func (r *running) phase(c Class) { r.fs.Note([]byte(phasePrefix + c)) }

// replay goes through the journal and cuts the power at the chosen moments.
func (r *running) replay(ctx context.Context, journal []fusefs.Operation, chosen []moment) error {
	d, ledger := fusefs.NewDisk(), &shardload.Ledger{}
	d.Strict, d.SettleOperations = r.Strict, settleOperations
	at := 0
	for _, m := range chosen {
		for ; at < m.at; at++ {
			if err := tell(ledger, &journal[at]); err != nil {
				return err
			}
			d.Apply(&journal[at])
		}
		if err := r.cut(ctx, d, ledger); err != nil {
			return fmt.Errorf("cut before operation %d of %d (%v): %w", m.at, len(journal), m.classes, err)
		}
		r.result.Cuts++
		for _, c := range m.classes {
			r.result.ByClass[c]++
		}
	}
	return nil
}

// tell writes down what a note says.
func tell(ledger *shardload.Ledger, o *fusefs.Operation) error {
	if o.Kind != fusefs.Note {
		return nil
	}
	if _, ok := phaseOf(o.Data); ok {
		return nil
	}
	for line := range strings.Lines(string(o.Data)) {
		if err := ledger.Tell(strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
	}
	return nil
}

// cut puts the disk together as it may be after a cut, and looks what is there.
func (r *running) cut(ctx context.Context, d *fusefs.Disk, ledger *shardload.Ledger) error {
	dir := filepath.Join(r.Images, "image")
	defer func() { _ = os.RemoveAll(dir) }()
	s := r.survival()
	if err := errors.Join(os.Mkdir(dir, 0o700), d.WriteImage(dir, s)); err != nil {
		return err
	}
	found, err := shardload.Inspect(ctx, filepath.Join(dir, "store"), slog.New(slog.NewTextHandler(r.log, nil)))
	if err != nil {
		return fmt.Errorf("%w: %w (share %v, pieces of %d bytes)", shardload.ErrPromiseBroken, err, s.Share, s.PieceBytes)
	}
	if wrong := shardload.Check(ledger, found); len(wrong) > 0 {
		return fmt.Errorf("%w (share %v, pieces of %d bytes):\n%s",
			shardload.ErrPromiseBroken, s.Share, s.PieceBytes, strings.Join(wrong, "\n"))
	}
	return nil
}

// survival is how much of what was not synced is there after a cut.
func (r *running) survival() fusefs.Survival {
	if r.nothingUnsynced {
		return fusefs.Survival{}
	}
	shares, pieces := []float64{0, 0.2, 0.5, 0.9, 1}, []int{0, 512, 4 << 10}
	return fusefs.Survival{
		Share: shares[r.random.IntN(len(shares))], PieceBytes: pieces[r.random.IntN(len(pieces))], Random: r.random,
	}
}

package shardlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// recovery rebuilds the shard from its records. It only reads; what it finds is
// made durable by the committer when it takes over.
//
// Damage that names a partition or subscription fences that one. A gap in the batch
// chain or the ledger names nobody, so then the shard is not opened.
type recovery struct {
	engine storage.Engine
	logger *slog.Logger
	shard  *shard
	// asked are the gaps whose loss the operator accepts; losses those of them that
	// were found.
	asked, losses []BatchRange
	// records are the partitions' own, by which heads are found.
	records map[storage.PartitionID]record.Partition
	// found is what is stored for each cursor.
	found map[cursorID]*foundState
	// repairs are what the takeover writes to make the shard whole.
	repairs []repair
}

// repair adds to a batch what makes one thing whole again: two keys at most.
type repair func(b *batch)

// recoverShard goes through the steps of recovery.
func recoverShard(ctx context.Context, engine storage.Engine, o Options) (*recovery, error) {
	r := &recovery{
		engine: engine, logger: o.Logger, shard: newShard(), asked: o.AcceptLoss,
		records: map[storage.PartitionID]record.Partition{},
		found:   map[cursorID]*foundState{},
	}
	steps := []func() error{
		r.readShard, r.readChain,
		r.readTopics, r.readPartitions, r.readHeads, r.readDedupe, r.readProducers,
		r.readSubscriptions, r.linkReplays, r.readCursors, r.readSessions, r.checkFloors, r.skipBuffered,
	}
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := step(); err != nil {
			return nil, fmt.Errorf("recover shard: %w", err)
		}
	}
	r.finish()
	return r, nil
}

// readShard reads the shard's own record; a new shard has none.
func (r *recovery) readShard() error {
	key := record.AppendShardKey(nil)
	err := r.engine.View(func(v storage.Reader) error {
		return v.Get(key, func(value []byte) (err error) {
			r.shard.Shard, err = record.DecodeShard(key, value)
			return err
		})
	})
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}

// fresh says that nothing was ever written.
func (r *recovery) fresh() bool { return r.shard.Epoch == 0 && !r.mends() }

// readChain reads the ring of batch headers and checks that the chain is whole, but
// for what was given up.
func (r *recovery) readChain() error {
	chain, err := readChain(r.engine, r.shard.AcceptedLosses)
	if err != nil {
		return err
	}
	ledger := r.engine.Ledger()
	if err := chain.check(ledger); err != nil {
		return err
	}
	if r.losses, err = judgeLoss(chain.gaps(), r.asked, r.shard.AcceptedLosses); err != nil {
		return err
	}
	if r.mends() {
		r.raiseEpoch(chain, ledger)
	} else if err := r.checkEpoch(chain.last()); err != nil {
		return err
	}
	r.shard.number, r.shard.hash = chain.end(r.losses)
	r.tellLosses()
	return nil
}

// mends says that batches were given up, so that what they left behind is mended
// instead of fenced.
func (r *recovery) mends() bool { return len(r.losses) > 0 }

func (r *recovery) checkEpoch(last link) error {
	switch {
	case r.fresh() && last.Number > 0:
		return fmt.Errorf("%w: the shard's record is missing, but there are batches up to %d", storage.ErrDataLoss, last.Number)
	case !r.fresh() && last.Number == 0:
		return fmt.Errorf("%w: the shard was opened %d times, but there is no batch", storage.ErrDataLoss, r.shard.Epoch)
	case last.Epoch > r.shard.Epoch:
		return fmt.Errorf("%w: batch %d is of epoch %d, the shard's record of %d",
			storage.ErrDataLoss, last.Number, last.Epoch, r.shard.Epoch)
	}
	return nil
}

// raiseEpoch makes the epoch the highest that is known of: the one in the shard's
// record may have been given up.
func (r *recovery) raiseEpoch(c *chain, ledger []storage.LedgerEntry) {
	r.shard.Epoch = max(r.shard.Epoch, c.last().Epoch)
	for _, e := range ledger {
		r.shard.Epoch = max(r.shard.Epoch, e.Epoch)
	}
	r.shard.Clean = false
}

// fencef takes a partition out of service.
func (r *recovery) fencef(p *partition, format string, args ...any) {
	err := fmt.Errorf("%w: partition %v: %s", storage.ErrDataLoss, p.id, fmt.Sprintf(format, args...))
	if p.fence(err) {
		r.logger.Error("partition is damaged and fenced", "topic", p.topic.Name, "partition", p.id.Partition, "error", err)
	}
}

// fenceSubscriptionf takes a subscription out of service.
func (r *recovery) fenceSubscriptionf(s *subscription, format string, args ...any) {
	if s.damage != nil {
		return
	}
	s.damage = fmt.Errorf("%w: subscription %d: %s", storage.ErrDataLoss, s.ID, fmt.Sprintf(format, args...))
	r.logger.Error("subscription is damaged and fenced", "subscription", s.Name, "error", s.damage)
}

// finish prepares what runs on: what was being created is removed, what lies below
// floors goes on being deleted, and old segments wait to be counted.
func (r *recovery) finish() {
	x := r.shard
	for _, s := range x.subscriptions {
		if s.State == storage.Creating {
			s.State = storage.Deleting
		}
		for _, c := range s.allCursors() {
			if s.damage == nil && c.hasRubbish() {
				c.doomed = true
				x.doomed.push(c)
			}
		}
	}
	x.live.begin(x.number)
	x.holdSegments = x.anyFenced()
}

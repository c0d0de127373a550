package shardload

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// engineOptions are as small as is legal, so that memtables and value logs rotate,
// tables are built and the value log is collected all the time.
func engineOptions(dir string, log *slog.Logger) badgerlog.Options {
	o := badgerlog.DefaultOptions(dir)
	o.MemTableBytes = 12_500_000
	o.ValueLogFileBytes = 64 << 20
	o.GCInterval = 200 * time.Millisecond
	o.GCDiscardRatio = 0.1
	o.GCHoldBack = time.Minute
	o.HighMarkBytes = 128 << 20
	o.BallastBytes = 1 << 20
	o.Logger = log
	return o
}

// Inspect opens the store after a cut, reads everything that it holds, closes it,
// and walks its chains.
func Inspect(ctx context.Context, dir string, log *slog.Logger) (*Found, error) {
	found, err := recoverAndRead(ctx, dir, log)
	if err != nil {
		return nil, err
	}
	engine, err := badgerlog.Open(engineOptions(dir, log))
	if err != nil {
		return nil, fmt.Errorf("open once more: %w", err)
	}
	_, err = storagetest.CheckStore(engine)
	return found, errors.Join(err, engine.Close())
}

func recoverAndRead(ctx context.Context, dir string, log *slog.Logger) (*Found, error) {
	engine, err := badgerlog.Open(engineOptions(dir, log))
	if err != nil {
		return nil, fmt.Errorf("open the engine: %w", err)
	}
	// Nothing is trimmed as long as nobody ticks.
	s, err := shardlog.Open(ctx, engine, shardlog.Options{Logger: log, RetentionTicks: make(chan time.Time)})
	if err != nil {
		return nil, fmt.Errorf("recover: %w", err)
	}
	found, err := read(ctx, s)
	return found, errors.Join(err, s.Close())
}

func read(ctx context.Context, s *shardlog.Store) (*Found, error) {
	found := &Found{}
	for _, t := range s.Topics() {
		if t.State != storage.Active {
			found.Damage = append(found.Damage, fmt.Sprintf("topic %q is in state %d", t.Name, t.State))
		}
		if t.Buffered {
			if err := found.buffered(ctx, s, storage.PartitionID{Topic: t.ID}); err != nil {
				return nil, err
			}
			continue
		}
		for p := range t.Partitions {
			one, err := found.partition(ctx, s, storage.PartitionID{Topic: t.ID, Partition: p})
			if err != nil {
				return nil, fmt.Errorf("partition %d: %w", p, err)
			}
			found.Partitions = append(found.Partitions, one)
		}
	}
	for i, name := range subscriptionNames {
		id, ok := subscriptionID(s, name)
		if !ok {
			continue
		}
		var err error
		if found.Cursors[i], err = s.Cursors(ctx, id); err != nil {
			return nil, fmt.Errorf("subscription %q: %w", name, err)
		}
	}
	return found, nil
}

// partition reads all that a partition retains.
func (f *Found) partition(ctx context.Context, s *shardlog.Store, id storage.PartitionID) (FoundPartition, error) {
	stats, err := s.Stats(id)
	if err != nil {
		return FoundPartition{}, err
	}
	p := FoundPartition{First: stats.First}
	for p.next() < stats.Next {
		piece, err := s.Read(ctx, id, p.next())
		if err != nil {
			return p, fmt.Errorf("read at %d of %d: %w", p.next(), stats.Next, err)
		}
		if piece.Segment == nil {
			return p, fmt.Errorf("a hole at %v, where messages were", piece.Hole)
		}
		for _, body := range storagetest.BodiesOf(piece.Segment, p.next()) {
			message, whole := parseBody([]byte(body))
			if !whole {
				f.Damage = append(f.Damage, fmt.Sprintf("partition %d, offset %d: %v is damaged", id.Partition, p.next(), message))
			}
			p.Messages = append(p.Messages, message)
		}
		piece.Segment.Release()
	}
	return p, nil
}

func subscriptionID(s *shardlog.Store, name string) (storage.SubscriptionID, bool) {
	for _, found := range s.Subscriptions() {
		if found.Name == name {
			return found.ID, true
		}
	}
	return 0, false
}

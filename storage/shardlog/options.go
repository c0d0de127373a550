package shardlog

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/headrace/headrace/storage"
)

// Options are how a store is opened. The zero value has the defaults.
type Options struct {
	// Clock gives the wall clock: log times and ages. Default: time.Now.
	Clock storage.Clock
	// Logger gets what an operator should know. Default: slog.Default.
	Logger *slog.Logger
	// TailBytes bounds the memory of all tail rings, TailPartitionBytes that of
	// one partition's messages in them. Defaults: 64 MiB and 16 MiB.
	TailBytes, TailPartitionBytes int
	// CacheBytes bounds the memory of segments that were read from disk. Default:
	// 32 MiB.
	CacheBytes int
	// RetentionInterval is how often what may be trimmed is looked at. Default: 1 s.
	RetentionInterval time.Duration
	// HoleAge is how old the oldest message of a partition must be before what is
	// settled behind it becomes holes. Default: 1 minute.
	HoleAge time.Duration
	// HoleInterval is how often holes are looked for in a partition. Default: 10 s.
	HoleInterval time.Duration
	// MoveAge is how long a commit segment must have been mostly dead before what is
	// left of it is moved. Default: 1 minute.
	MoveAge time.Duration
	// MoveBytesPerSecond bounds what moving reads and writes. Default: 4 MiB.
	MoveBytesPerSecond int
	// SnapshotStepBytes is how much of a snapshot one commit writes, or of a seek to one:
	// one that fits is written at once. Default, and at most: half of a commit.
	SnapshotStepBytes int
	// AcceptLoss names runs of missing batches that are given up, in order: exactly
	// those that an Open without it found missing, or it is refused. What is left is
	// made whole and named in the log, and the loss written down, so that later
	// openings need no AcceptLoss.
	AcceptLoss []BatchRange
	// RetentionTicks, when not nil, replaces the timer of RetentionInterval.
	RetentionTicks <-chan time.Time
}

const (
	defaultTailBytes          = 64 << 20
	defaultTailPartitionBytes = 16 << 20
	defaultCacheBytes         = 32 << 20
	defaultRetentionInterval  = time.Second
	defaultHoleAge            = time.Minute
	defaultHoleInterval       = 10 * time.Second
	defaultMoveAge            = time.Minute
	defaultMoveBytesPerSecond = 4 << 20
	defaultSnapshotStepBytes  = maxOpenInlineBytes / 2
)

// Validate says what is wrong with the options.
func (o *Options) Validate() error {
	if o.MoveBytesPerSecond < 0 || o.TailBytes < 0 || o.TailPartitionBytes < 0 || o.CacheBytes < 0 || o.SnapshotStepBytes < 0 {
		return errors.New("shardlog: a size is negative")
	}
	for i, r := range o.AcceptLoss {
		if r.First == 0 || r.First > r.Last || i > 0 && r.First <= o.AcceptLoss[i-1].Last {
			return fmt.Errorf("shardlog: accept-loss %s is no list of runs of batches in order", listOf(o.AcceptLoss))
		}
	}
	if o.RetentionInterval < 0 || o.HoleAge < 0 || o.MoveAge < 0 || o.HoleInterval < 0 {
		return errors.New("shardlog: an interval or an age is negative")
	}
	return nil
}

// withDefaults fills in what is not set.
func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	orDefault(&o.TailBytes, defaultTailBytes)
	orDefault(&o.TailPartitionBytes, defaultTailPartitionBytes)
	orDefault(&o.CacheBytes, defaultCacheBytes)
	orDefault(&o.RetentionInterval, defaultRetentionInterval)
	orDefault(&o.HoleAge, defaultHoleAge)
	orDefault(&o.HoleInterval, defaultHoleInterval)
	orDefault(&o.MoveAge, defaultMoveAge)
	orDefault(&o.MoveBytesPerSecond, defaultMoveBytesPerSecond)
	orDefault(&o.SnapshotStepBytes, defaultSnapshotStepBytes)
	o.SnapshotStepBytes = min(o.SnapshotStepBytes, defaultSnapshotStepBytes)
	return o
}

func orDefault[T comparable](v *T, fallback T) {
	var zero T
	if *v == zero {
		*v = fallback
	}
}

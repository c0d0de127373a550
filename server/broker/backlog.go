package broker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/headrace/headrace/storage"
)

// places remembers where partitions' floors stand, so that statistics read the
// store only when a floor has moved.
type places struct {
	mu sync.Mutex
	of map[uint16]knownPlace
}

type knownPlace struct {
	floor storage.Offset
	place storage.Place
}

// get is the place of a partition's floor, if it is the one that is remembered.
func (p *places) get(partition uint16, floor storage.Offset) (storage.Place, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, ok := p.of[partition]
	return known.place, ok && known.floor == floor
}

// put remembers a place.
func (p *places) put(partition uint16, floor storage.Offset, place storage.Place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[uint16]knownPlace{}
	}
	p.of[partition] = knownPlace{floor: floor, place: place}
}

// floorPlace finds where a partition's floor stands; nothing when nothing is there.
func (s *subscription) floorPlace(ctx context.Context, log Log, partition uint16, floor storage.Offset) (storage.Place, bool, error) {
	if place, ok := s.places.get(partition, floor); ok {
		return place, true, nil
	}
	place, err := log.Locate(ctx, s.route.id(uint32(partition)), floor)
	switch {
	case errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrTrimmed):
		return storage.Place{}, false, nil
	case err != nil:
		return storage.Place{}, false, storeError(err)
	}
	s.places.put(partition, floor, place)
	return place, true, nil
}

// measure completes the figures of one partition by what the store knows of its
// floor: the backlog's bytes, and the age of its oldest message.
func (s *subscription) measure(ctx context.Context, log Log, p *SubscriptionPartitionStats) (oldest time.Duration, err error) {
	if p.Backlog.Messages == 0 {
		return 0, nil
	}
	place, ok, err := s.floorPlace(ctx, log, p.Partition, p.Floor)
	if err != nil || !ok {
		return 0, err
	}
	figures, err := log.Stats(s.route.id(uint32(p.Partition)))
	if err != nil {
		return 0, storeError(err)
	}
	p.Backlog.Bytes = backlogBytes(place, figures, p)
	return max(0, s.loop.clock.wall().Sub(place.LogTime)), nil
}

// backlogBytes is the size of the backlog: what was written since the floor, in
// the proportion of its messages that are not settled.
func backlogBytes(place storage.Place, figures storage.PartitionStats, p *SubscriptionPartitionStats) uint64 {
	written := figures.NextBytes - min(place.BytesBefore, figures.NextBytes)
	span := float64(figures.Next - min(storage.Offset(place.MessagesBefore), figures.Next))
	if span == 0 {
		return 0
	}
	return uint64(float64(written) * min(1, float64(p.Backlog.Messages)/span))
}

package shardload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

const (
	// bufferedName is the topic whose publishes are done before they are durable.
	bufferedName = "buffered"
	// bufferedAge is how long it keeps messages: it has no subscription.
	bufferedAge = 3 * time.Second
	// bufferedPublisher is another number than any publisher of a life has.
	bufferedPublisher = publishersPerLife - 1
	// bufferedPause is between two publishes, of up to bufferedMessages each.
	bufferedPause    = 2 * time.Millisecond
	bufferedMessages = 8
	// bufferedBytes bounds a message.
	bufferedBytes = 2 << 10
)

func (l *load) createBuffered(ctx context.Context) (id storage.TopicID, err error) {
	if t, there := topicNamed(l.store, bufferedName); there {
		return t.ID, nil
	}
	t, err := l.store.CreateTopic(ctx, storage.Topic{Name: bufferedName, Partitions: 1, Buffered: true, MinAge: bufferedAge})
	return t.ID, err
}

func topicNamed(s *shardlog.Store, name string) (storage.Topic, bool) {
	for _, t := range s.Topics() {
		if t.Name == name {
			return t, true
		}
	}
	return storage.Topic{}, false
}

// publishBuffered publishes small frames to the buffered topic, and says what was
// accepted.
func (l *load) publishBuffered(id storage.PartitionID) error {
	random := l.random(bufferedPublisher)
	publisher := l.life*publishersPerLife + bufferedPublisher
	q := l.store.NewPublishQueue()
	defer q.Close()
	pause := time.NewTicker(bufferedPause)
	defer pause.Stop()
	for number := uint32(1); ; number++ {
		select {
		case <-pause.C:
		case <-l.stop:
			return nil
		}
		bodies := make([]string, 1+random.IntN(bufferedMessages))
		for i := range bodies {
			size := idBytes + random.IntN(bufferedBytes)
			bodies[i] = string(appendBody(nil, messageID{publisher, number, uint32(i)}, size))
		}
		p := &storage.Publish{Appends: []storage.Append{storagetest.NewAppend(id, bodies...)}}
		if !q.Put(p, l.stop) {
			return nil
		}
		for q.Done() == nil {
			<-q.Ready()
		}
		switch {
		case p.Err == nil:
			l.tell(fmt.Sprintf("buf %d %d %d %d", publisher, number, p.Appends[0].Base, len(bodies)))
		case !errors.Is(p.Err, storage.ErrNoSpace):
			return fmt.Errorf("publish to the buffered topic: %w", p.Err)
		}
	}
}

// tellHeads says how much of the buffered topic is durable: all that readers see is.
func (l *load) tellHeads(id storage.PartitionID) error {
	wake := make(chan struct{}, 1) // merged
	unwatch := l.store.Watch(id, wake)
	defer unwatch()
	for {
		select {
		case <-wake:
			l.tell(fmt.Sprintf("dur %d %d", l.life*publishersPerLife+bufferedPublisher, l.store.Head(id)))
		case <-l.stop:
			return nil
		case <-l.store.Failed():
			return l.store.Err()
		}
	}
}

// bufferedLedger is what was promised of the buffered topic.
type bufferedLedger struct {
	// accepted are the appends. Of each life, known by its publisher, what is below heads
	// was promised to stay.
	accepted []stored
	heads    map[uint32]storage.Offset
	first    storage.Offset
}

// isDurable says whether an append was told to be durable while its life lasted.
func (b *bufferedLedger) isDurable(s *stored) bool { return s.end() <= b.heads[s.publisher] }

func (l *Ledger) tellAccepted(fields string) error {
	var s stored
	if _, err := fmt.Sscan(fields, &s.publisher, &s.number, &s.base, &s.count); err != nil {
		return err
	}
	if l.off {
		l.counts.Late++
		return nil
	}
	l.buffered.accepted = append(l.buffered.accepted, s)
	l.counts.Accepted++
	return nil
}

func (l *Ledger) tellDurable(fields string) error {
	var publisher uint32
	var head storage.Offset
	if _, err := fmt.Sscan(fields, &publisher, &head); err != nil {
		return err
	}
	if l.off {
		l.counts.Late++
		return nil
	}
	if l.buffered.heads == nil {
		l.buffered.heads = map[uint32]storage.Offset{}
	}
	l.buffered.heads[publisher] = max(l.buffered.heads[publisher], head)
	return nil
}

// adopt takes what was found as what is promised now. What is lost stays accepted: its
// offsets must not be given to others.
func (b *bufferedLedger) adopt(f *FoundBuffered) (lost int) {
	b.first = f.First
	kept := b.accepted[:0]
	for _, s := range b.accepted {
		if s.end() <= f.First {
			continue
		}
		if _, there := f.Messages[s.end()-1]; !there && !s.lost {
			s.lost = true
			lost++
		}
		kept = append(kept, s)
	}
	b.accepted = kept
	return lost
}

// FoundBuffered is what the buffered topic held after a cut: no message where a life of
// the store left offsets out.
type FoundBuffered struct {
	First, Next storage.Offset
	Messages    map[storage.Offset]messageID
}

// buffered reads all that the buffered topic retains.
func (f *Found) buffered(ctx context.Context, s *shardlog.Store, id storage.PartitionID) error {
	stats, err := s.Stats(id)
	if err != nil {
		return err
	}
	b := &FoundBuffered{First: stats.First, Next: stats.Next, Messages: map[storage.Offset]messageID{}}
	f.Buffered = b
	for at := b.First; at < b.Next; {
		piece, err := s.Read(ctx, id, at)
		if err != nil {
			return fmt.Errorf("read the buffered topic at %d of %d: %w", at, b.Next, err)
		}
		if piece.Segment == nil {
			at = piece.Hole.End
			continue
		}
		for _, body := range storagetest.BodiesOf(piece.Segment, at) {
			message, whole := parseBody([]byte(body))
			if !whole {
				f.Damage = append(f.Damage, fmt.Sprintf("buffered offset %d: %v is damaged", at, message))
			}
			b.Messages[at] = message
			at++
		}
		piece.Segment.Release()
	}
	return nil
}

// buffered looks at the buffered topic: what was durable is there; of what was accepted
// only the end of a life is lost; no offset is that of two messages, and none that was
// told is to be given again.
func (c *check) buffered() {
	promised, found := &c.ledger.buffered, c.found.Buffered
	if found == nil {
		if c.ledger.ready {
			c.failf("the buffered topic is lost")
		}
		return
	}
	if found.First < promised.first {
		c.failf("the buffered topic begins at %d; it began at %d before", found.First, promised.first)
	}
	lostSince := map[uint32]storage.Offset{}
	for i := range promised.accepted {
		s := &promised.accepted[i]
		if s.end() > found.Next {
			c.failf("buffered offsets from %d on were told, and the next one is %d", s.base, found.Next)
		}
		lost := c.bufferedAppend(s)
		since, gone := lostSince[s.publisher]
		switch {
		case lost && promised.isDurable(s):
			c.failf("buffered append %d/%d (%d messages from %d) was durable, and is lost", s.publisher, s.number, s.count, s.base)
		case lost && !gone:
			lostSince[s.publisher] = s.base
		case !lost && gone && s.base >= found.First:
			c.failf("buffered append %d/%d at %d is there, and what was accepted before it at %d is lost",
				s.publisher, s.number, s.base, since)
		}
	}
}

// bufferedAppend says whether an append is lost, and looks for others at its offsets.
func (c *check) bufferedAppend(s *stored) (lost bool) {
	for i := range s.count {
		at := s.base + storage.Offset(i)
		message, there := c.found.Buffered.Messages[at]
		if want := (messageID{s.publisher, s.number, i}); there && message != want {
			c.failf("buffered offset %d was told for %v, and has %v", at, want, message)
		}
		lost = lost || !there && at >= c.found.Buffered.First
	}
	return lost
}

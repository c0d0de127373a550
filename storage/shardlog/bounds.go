package shardlog

import (
	"errors"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// Retention by age and by bytes takes what is not settled, too. It goes in two steps,
// so that no partition ever begins after a floor: the janitor finds out from which
// offset on a partition keeps its messages; subscriptions move their floors there; and
// what is below every floor is trimmed.

// boundTopic is a topic that bounds what it keeps, as of the last look.
type boundTopic struct {
	*topic
	maxAge   time.Duration
	maxBytes uint64
}

// outline is how far a partition was walked for what it keeps no longer. It belongs to
// the janitor.
type outline struct {
	// first is where the partition began then, end its head, and held the size of what
	// lies between.
	first, end storage.Offset
	held       uint64
	// kept is what is kept first, and passed the size of what is before it and not
	// trimmed yet. The log time is that of a message before it, unless it is read.
	kept   record.Mark
	read   bool
	passed uint64
}

// bounds says how a topic bounds what it keeps, if it does. Loop only.
func (s *shard) bounds(t *topic) (b boundTopic, ok bool) {
	b = boundTopic{topic: t, maxAge: t.MaxAge, maxBytes: t.MaxBytes}
	return b, (b.maxAge > 0 || b.maxBytes > 0) && !s.holdTrims && t.State == storage.Active
}

// bound finds what a topic keeps no longer, and tells its subscriptions.
func (j *janitor) bound(t boundTopic, now time.Time) error {
	for _, p := range t.partitions {
		p.outline.begin(&p.marks)
	}
	err := j.boundAge(t, now)
	if err == nil {
		err = j.boundBytes(t)
	}
	t.tellKept(j.store.committer.attention)
	for _, p := range t.partitions {
		if o := &p.outline; t.maxAge > 0 && o.kept.Offset < o.end {
			j.waiting.add(p, o.kept.LogTime.Add(t.maxAge))
		}
	}
	return err
}

// begin goes on from the last walk, or anew where the partition has been trimmed since.
func (o *outline) begin(m *marks) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if o.first != m.first.Offset || o.kept.Offset < m.first.Offset {
		*o = outline{first: m.first.Offset, kept: m.first}
	}
	o.end = m.next.Offset
	o.held = m.next.Before.Bytes - m.first.Before.Bytes - m.holes.Bytes
}

// bytes is the size of what is kept. A hole made in what was passed counts twice, until
// the partition is trimmed.
func (o *outline) bytes() uint64 { return o.held - min(o.held, o.passed) }

// boundAge passes everything that is too old.
func (j *janitor) boundAge(t boundTopic, now time.Time) error {
	if t.maxAge == 0 {
		return nil
	}
	tooOld := func(x *pointer) bool { return !x.LogTime.Add(t.maxAge).After(now) }
	for _, p := range t.partitions {
		if p.outline.kept.LogTime.Add(t.maxAge).After(now) {
			continue
		}
		if err := j.pass(p, tooOld); err != nil {
			return err
		}
	}
	return nil
}

// boundBytes passes the oldest messages of all partitions while the topic keeps too
// much.
func (j *janitor) boundBytes(t boundTopic) error {
	kept := uint64(0)
	for _, p := range t.partitions {
		kept += p.outline.bytes()
	}
	if t.maxBytes == 0 || kept <= t.maxBytes {
		return nil
	}
	if err := j.readOutlines(t); err != nil {
		return err
	}
	for kept > t.maxBytes && !j.stopped() {
		p, next := t.oldest()
		if p == nil {
			return nil
		}
		first := p.outline.kept.Offset
		err := j.pass(p, func(x *pointer) bool {
			if kept <= t.maxBytes || x.base > first && next != nil && x.LogTime.After(next.kept.LogTime) {
				return false
			}
			if !x.Hole {
				kept -= min(kept, x.Bytes)
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readOutlines reads how old the oldest message of each partition is.
func (j *janitor) readOutlines(t boundTopic) error {
	for _, p := range t.partitions {
		if p.outline.read {
			continue
		}
		if err := j.pass(p, func(*pointer) bool { return false }); err != nil {
			return err
		}
	}
	return nil
}

// oldest is the partition with the oldest message that is kept, and the next one; nil
// when there is none.
func (t *boundTopic) oldest() (oldest *partition, next *outline) {
	for _, p := range t.partitions {
		o := &p.outline
		switch {
		case !o.read || o.kept.Offset >= o.end || p.err() != nil:
		case oldest == nil:
			oldest = p
		case o.kept.LogTime.Before(oldest.outline.kept.LogTime):
			oldest, next = p, &oldest.outline
		case next == nil || o.kept.LogTime.Before(next.kept.LogTime):
			next = o
		}
	}
	return oldest, next
}

// pass walks over pointers of a partition as long as they go, in short reads.
func (j *janitor) pass(p *partition, goes func(x *pointer) bool) error {
	o := &p.outline
	for more := true; more && o.kept.Offset < o.end && p.err() == nil && !j.stopped(); {
		more = false
		err := j.store.engine.View(func(r storage.Reader) error {
			left := trimPointersAtOnce
			return eachPointer(r, p.id, o.kept.Offset, func(x pointer) (bool, error) {
				if x.base != o.kept.Offset {
					return false, lostPointer(p.id, o.kept.Offset, x.base)
				}
				o.kept.LogTime, o.read = x.LogTime, true
				if more = left == 0; more || x.base >= o.end || !goes(&x) {
					return false, nil
				}
				left--
				o.pass(&x)
				return true, nil
			})
		})
		if errors.Is(err, storage.ErrDataLoss) {
			j.store.committer.fence(p, err)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (o *outline) pass(x *pointer) {
	o.kept, o.read = record.Mark{Offset: x.end(), LogTime: x.LogTime, Before: x.After()}, false
	if !x.Hole {
		o.passed += x.Bytes
	}
}

// tellKept shows from where on partitions keep their messages, and wakes those who
// watch when that has moved.
func (t *boundTopic) tellKept(a *attention) {
	moved := false
	for _, p := range t.partitions {
		if kept := uint64(p.outline.kept.Offset); kept > p.retained.Load() {
			p.retained.Store(kept)
			a.add(p)
			moved = true
		}
	}
	if moved {
		t.retention.wake()
	}
}

// KeptFrom is the offset from which on a partition keeps messages that are not settled:
// subscriptions settle what is before it. It never goes back while the store is open,
// and begins at 0. It never blocks; 0 for a partition that does not exist.
func (s *Store) KeptFrom(id storage.PartitionID) storage.Offset {
	p, err := s.directory.partition(id)
	if err != nil {
		return 0
	}
	return storage.Offset(p.retained.Load())
}

// WatchKept signals wake, which has capacity 1, each time KeptFrom rose in a
// partition of a topic, until cancel is called. A topic that does not exist never wakes.
func (s *Store) WatchKept(id storage.TopicID, wake chan<- struct{}) (cancel func()) {
	partitions := s.directory.partitions(id)
	if len(partitions) == 0 {
		return func() {}
	}
	return partitions[0].topic.retention.add(wake)
}

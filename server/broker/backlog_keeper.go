package broker

import (
	"math"

	"github.com/headrace/headrace/server/broker/delivery"
)

// backlogKeeper keeps a subscription's backlog within its cap. It judges by cumulative
// counts, once a turn; the replay partition, which holds what was asked for, does not
// count. Loop only.
type backlogKeeper struct {
	cap   BacklogCap
	parts []backlogPart
	// full is what publishers were told.
	full bool
}

// backlogPart is one partition's backlog.
type backlogPart struct {
	delivery.PartitionStats
	gauge backlogGauge
	// from is where it begins once what was planned so far is gone.
	from uint64
}

// setBacklogCap begins to keep the backlog within a cap, or no longer. A subscription
// with a cap watches its topic, also without sessions.
func (l *loop) setBacklogCap(c BacklogCap) {
	switch {
	case c.some():
		l.keeper = &backlogKeeper{cap: c, parts: make([]backlogPart, l.route.partitions), full: l.keeper != nil && l.keeper.full}
		l.watch()
	case l.keeper != nil:
		l.tellFull(false)
		l.keeper = nil
		if len(l.sessions) == 0 {
			l.unwatch()
		}
	}
}

// awaitJudgement waits until it is known whether the backlog is full: no publish is to
// slip in before.
func (l *loop) awaitJudgement() {
	select {
	case <-l.judged:
	case <-l.done:
	}
}

// keepBacklog looks at the backlog after a turn, and does what its cap asks for.
func (l *loop) keepBacklog() {
	k := l.keeper
	backlog := k.measure(l)
	if k.cap.Action == RejectPublish {
		l.tellFull(k.cap.fills(backlog))
		return
	}
	over := k.cap.above(backlog)
	if over == (Amount{}) {
		return
	}
	k.plan(over)
	if k.cap.Action == BuryOldest {
		l.bury(over)
		return
	}
	for i := range k.parts {
		p := &k.parts[i]
		if p.from > p.Floor {
			l.own = append(l.own, &delivery.Drop{Partition: p.Partition, Below: p.from, Cause: delivery.ByBacklogCap})
		}
	}
}

// bury has what was planned given up, as far as nobody got it yet: what is out goes its
// own way, and is bounded by its ceilings.
func (l *loop) bury(over Amount) {
	for _, b := range l.keeper.burials(over) {
		if l.state.Dying() < delivery.MaxBurials {
			l.own = append(l.own, &b)
		}
	}
}

// burials are what was planned, in messages. Among what is on its way to the dead letters
// a share is no exact number: no more than are too many are given up, where messages alone
// count.
func (k *backlogKeeper) burials(over Amount) (all []delivery.Bury) {
	left := over.Messages
	if over.Bytes > 0 {
		left = math.MaxUint64
	}
	for i := range k.parts {
		p := &k.parts[i]
		n := min(uint64(math.Ceil(float64(p.from-p.Floor)*p.share())), p.Fresh, left)
		if n > 0 {
			all = append(all, delivery.Bury{Partition: p.Partition, Messages: n})
		}
		left -= n
	}
	return all
}

// tellFull tells publishers whether the backlog is full, when that has changed.
func (l *loop) tellFull(full bool) {
	if l.keeper.full != full {
		l.keeper.full = full
		l.full.set(l, full)
	}
}

// measure is the backlog.
func (k *backlogKeeper) measure(l *loop) (backlog Amount) {
	l.state.Backlogs(func(p delivery.PartitionStats) {
		if p.Partition == replayPartition {
			return
		}
		part := &k.parts[l.route.place(p.Partition)]
		part.PartitionStats, part.from = p, p.Floor
		part.Backlog -= min(part.Backlog, p.Dying)
		if figures, err := l.store.Stats(l.route.id(p.Partition)); err == nil {
			part.gauge.note(&figures)
		}
		part.gauge.forget(p.Floor)
		backlog.Messages += part.Backlog
		backlog.Bytes += part.bytes(p.Floor, p.Head)
	})
	return backlog
}

// share is which part of the offsets from the floor on is not settled.
func (p *backlogPart) share() float64 {
	return max(float64(p.Backlog), 1) / float64(max(1, p.Head-p.Floor))
}

// bytes is the size of what is not settled in a range.
func (p *backlogPart) bytes(from, end uint64) uint64 {
	written := p.gauge.at(end).bytes - p.gauge.at(from).bytes
	return uint64(math.Ceil(float64(written) * p.share()))
}

// plan chooses what goes: the oldest messages of all partitions, as many as are too
// many, in each unit.
func (k *backlogKeeper) plan(over Amount) {
	for over != (Amount{}) {
		p := k.oldest()
		if p == nil {
			return
		}
		end := p.gauge.after(p.from, p.Head)
		n := min(p.step(over, end), end-p.from)
		over.Messages -= min(over.Messages, uint64(float64(n)*p.share()))
		over.Bytes -= min(over.Bytes, p.bytes(p.from, p.from+n))
		p.from += n
	}
}

// oldest is the partition with the oldest message that is left.
func (k *backlogKeeper) oldest() (oldest *backlogPart) {
	least := int64(0)
	for i := range k.parts {
		p := &k.parts[i]
		if p.from >= p.Head {
			continue
		}
		if t := p.gauge.at(p.from).time; oldest == nil || t < least {
			oldest, least = p, t
		}
	}
	return oldest
}

// step is how many offsets of a partition are to go for so much.
func (p *backlogPart) step(over Amount, end uint64) uint64 {
	n := math.Ceil(float64(over.Messages) / p.share())
	if over.Bytes > 0 {
		each := float64(p.bytes(p.from, end)) / float64(end-p.from)
		n = max(n, math.Ceil(float64(over.Bytes)/max(each, 1)))
	}
	return uint64(max(1, n))
}

package broker

import "github.com/headrace/headrace/server/broker/delivery"

// MinMaxBytes is the least that a topic may be bounded to, unless its messages may be
// larger.
const MinMaxBytes = 1 << 20

// validateRetention says whether the bounds on what a topic keeps are within theirs.
func (c *TopicConfig) validateRetention() error {
	switch {
	case c.MinAge < 0 || c.MinAge > MaxMinAge:
		return invalidField("retention.min_age", "0 to 10 years")
	case c.KeepSettled < 0 || c.KeepSettled > MaxKeepSettled:
		return invalidField("retention.keep_settled", "0 to 10 years")
	case c.MaxAge != 0 && (c.MaxAge < c.MinAge || c.MaxAge > MaxMinAge):
		return invalidField("retention.max_age", "0, or min_age to 10 years")
	case c.MaxBytes != 0 && c.MaxBytes < max(MinMaxBytes, uint64(c.MaxMessageBytes)):
		return invalidField("retention.max_bytes", "0, or at least 1 MiB and max_message_bytes")
	}
	return nil
}

// collectKept settles what the topic keeps no longer, in every partition of it. The
// replay partition keeps everything. Loop only.
func (l *loop) collectKept() {
	if !l.keptRose {
		return
	}
	l.keptRose = false
	for place := range l.route.partitions {
		partition := l.route.partition(place)
		// When it is past the head that was looked up, it moved since, and wakes again.
		kept := min(l.store.KeptFrom(l.route.id(partition)), l.known[place])
		if kept <= l.kept[place] {
			continue
		}
		l.kept[place] = kept
		l.events = append(l.events, &delivery.Drop{Partition: partition, Below: uint64(kept), Cause: delivery.ByRetention})
	}
}

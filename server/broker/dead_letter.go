package broker

import (
	"errors"
	"slices"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// errNoSegment is returned when the message of a dead letter is not at hand, which the
// state machine rules out.
var errNoSegment = errors.New("broker: a dead letter without its message")

// addDeadLetter puts a dead letter into the change of its partition.
func (c *changeSet) addDeadLetter(from *delivery.DeadLetter, due dueTimes, segments *segmentWindow) error {
	at := storage.Offset(from.Offset)
	segment := segments.find(from.Partition, at, at+1)
	change := c.change(uint16(from.Partition))
	if segment == nil || change == nil {
		return errNoSegment
	}
	d := storage.DeadLetter{
		Offset: at, LogTime: segment.LogTime, DeadTime: due.wall.Round(0).UTC(), Reason: storage.DeadReason(from.Reason),
		Failed: from.Failed, Expired: from.Expired, Lost: from.Lost,
		Failures: storedFailures(failuresOf(from), due), Message: segment.Range(at, at+1),
	}
	if segment.KeyHashes != nil {
		d.Key = segment.KeyHashes[at-segment.Base]
	}
	change.DeadLetters = append(change.DeadLetters, d)
	return nil
}

// change is the change of a partition, nil when there is none.
func (c *changeSet) change(partition uint16) *storage.CursorChange {
	for i := range c.stored.Cursors {
		if c.stored.Cursors[i].Partition == partition {
			return &c.stored.Cursors[i]
		}
	}
	return nil
}

// failuresOf are a dead letter's failures with the one that it died of, if there was one,
// which may not have been remembered for want of room.
func failuresOf(d *delivery.DeadLetter) []delivery.PastFailure {
	if n := len(d.Failures); d.Last.Kind == 0 || n > 0 && d.Failures[n-1] == d.Last {
		return d.Failures
	}
	return append(slices.Clip(d.Failures), d.Last)
}

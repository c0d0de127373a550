package shardlog

import (
	"errors"
	"fmt"

	"github.com/headrace/headrace/storage"
)

// A dead letter that is to be forwarded is appended to the other topic like a publish,
// in the batch that keeps it. Whatever stands against that, it is kept, and says what it
// was.

// forwardNeed bounds what a dead letter's copy takes.
func forwardNeed(f *storage.Forward) need {
	if f == nil || f.Failure != 0 {
		return need{}
	}
	return appendNeed(&f.Copy)
}

// forward appends a dead letter's copy, or notes why it cannot.
func (c *committer) forward(f *storage.Forward) {
	if f == nil || f.Failure != 0 {
		return
	}
	if f.Failure = c.forwardFailure(&f.Copy); f.Failure == 0 {
		c.gather(&f.Copy)
	}
}

// forwardFailure is why a copy cannot be appended; 0: it can.
func (c *committer) forwardFailure(a *storage.Append) storage.ForwardFailure {
	_, err := c.shard.partition(a.Partition)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return storage.ForwardTopicGone
	case err != nil:
		return storage.ForwardDamaged
	case checkAppend(a) != nil || len(a.Ends) != 1 || len(a.Messages) > storage.MaxForwardBytes:
		return storage.ForwardTooLarge
	case c.refusing():
		return storage.ForwardNoSpace
	default:
		return 0
	}
}

// checkSequences says whether dead letters that know their sequences are to get these:
// their copies may tell them.
func (s *subscription) checkSequences(set *storage.ChangeSet) error {
	next := s.deadLast
	for i := range set.Cursors {
		for j := range set.Cursors[i].DeadLetters {
			next++
			if known := set.Cursors[i].DeadLetters[j].Sequence; known != 0 && known != next {
				return fmt.Errorf("%w: subscription %d: dead letter %d knows itself as %d", storage.ErrDataLoss, s.ID, next, known)
			}
		}
	}
	return nil
}

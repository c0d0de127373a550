package history

// Users that do not see frames write these: the handlers of an SDK, and who pulls.
const (
	// HandsOpening: from now on Session of Client may be handed something of Subscription.
	HandsOpening Kind = iota + 80
	// Handed: number Number of Publisher, published to Topic, was handed out as Sequence
	// of Session, from Partition and Offset, as attempt Attempt. Number is 0 when it is
	// not what anybody published.
	Handed
	// Answering: what was handed out as Sequence is about to get Verdict.
	Answering
	// Answered: that is durable.
	Answered
	// AnswerFailed: it reached nothing, for the delivery was no longer the session's.
	AnswerFailed
	// HandsEnding: what Session has is about to be given back by itself.
	HandsEnding
)

// Operators write these, and likewise an event before they ask and one when they were
// told. What is told has Done 1 when it is done, and 0 when it surely is not.
const (
	// SeekAiming: the seek of Subscription that is asked next moves Partition to Offset.
	SeekAiming Kind = iota + 96
	// SeekAsking: Subscription is about to be moved, to Snapshot if that is not 0.
	SeekAsking
	// SeekTold is its end; Generation is the subscription's then.
	SeekTold
	// SnapshotAsking: Snapshot of Subscription is about to be taken.
	SnapshotAsking
	// SnapshotTold is its end.
	SnapshotTold
	// PauseAsking: Subscription is about to be paused, when Paused is 1, or let go on.
	PauseAsking
	// PauseTold is its end.
	PauseTold
	// KeysReleasing: all parked keys of Subscription are about to be released.
	KeysReleasing
	// KeysReleased is its end.
	KeysReleased
	// Redriving: the dead letter of number Number of Publisher on Subscription is about to
	// be redriven.
	Redriving
	// Redriven is its end.
	Redriven
	// LettersAsking: somebody is about to list all dead letters of Subscription.
	LettersAsking
	// LetterSeen: number Number of Publisher is one of those that are listed.
	LetterSeen
	// LettersTold: these were all.
	LettersTold
	// BacklogAsking: somebody is about to ask what of Subscription waits, and for floors,
	// which follow.
	BacklogAsking
	// FloorTold: the floor of Subscription in Partition is Offset.
	FloorTold
	// CaughtUp: nothing did.
	CaughtUp
	// GoneTold: Count messages of Subscription went by a bound, unsettled.
	GoneTold
)

func (f *Fields) usedByUser(k Kind) []*uint64 {
	switch k {
	case HandsOpening:
		return []*uint64{&f.Session, &f.Client, &f.Subscription}
	case Handed:
		return []*uint64{&f.Session, &f.Sequence, &f.Topic, &f.Publisher, &f.Number, &f.Partition, &f.Offset, &f.Attempt}
	case Answering:
		return []*uint64{&f.Session, &f.Sequence, &f.Verdict}
	case Answered, AnswerFailed:
		return []*uint64{&f.Session, &f.Sequence}
	case HandsEnding:
		return []*uint64{&f.Session}
	default:
		return f.usedByOperator(k)
	}
}

func (f *Fields) usedByOperator(k Kind) []*uint64 {
	switch k {
	case SeekAiming, FloorTold:
		return []*uint64{&f.Subscription, &f.Partition, &f.Offset}
	case SeekAsking, SnapshotAsking:
		return []*uint64{&f.Subscription, &f.Snapshot}
	case SeekTold:
		return []*uint64{&f.Subscription, &f.Done, &f.Generation}
	case SnapshotTold:
		return []*uint64{&f.Subscription, &f.Snapshot, &f.Done}
	case PauseAsking:
		return []*uint64{&f.Subscription, &f.Paused}
	case PauseTold:
		return []*uint64{&f.Subscription, &f.Paused, &f.Done}
	case Redriving, LetterSeen:
		return []*uint64{&f.Subscription, &f.Publisher, &f.Number}
	case Redriven:
		return []*uint64{&f.Subscription, &f.Publisher, &f.Number, &f.Done}
	case GoneTold:
		return []*uint64{&f.Subscription, &f.Count}
	case KeysReleasing, KeysReleased, LettersAsking, LettersTold, BacklogAsking, CaughtUp:
		return []*uint64{&f.Subscription}
	default:
		return nil
	}
}

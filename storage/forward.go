package storage

// MaxForwardBytes bounds the message of a copy: the dead letter is in the same commit, which
// takes 64 MiB.
const MaxForwardBytes = 31 << 20

// Forward is what becomes of a dead letter beside being kept: a copy of it is appended to
// another topic, in the same commit.
type Forward struct {
	// Copy is the one message, for a partition of the other topic; its Base is set by the
	// store. Of a dead letter that the store gives, it has only Partition and Base.
	Copy Append
	// Failure is why there is no copy; 0: there is one. It is set by whoever finds out: the
	// broker before, or the store as it commits.
	Failure ForwardFailure
}

// ForwardFailure is why a dead letter was not forwarded. The failures are stored: never
// renumber.
type ForwardFailure uint8

// The failures. Whatever it is, the dead letter is kept.
const (
	// ForwardTopicGone: the topic is not there, or not any more.
	ForwardTopicGone ForwardFailure = 1
	// ForwardBacklogFull: a backlog of the topic's is full, and has publishes refused.
	ForwardBacklogFull ForwardFailure = 2
	// ForwardTooLarge: the topic takes no messages of that size, or no commit does.
	ForwardTooLarge ForwardFailure = 3
	// ForwardDamaged: the topic, or its partition, is damaged.
	ForwardDamaged ForwardFailure = 4
	// ForwardNoSpace: the disk has no room for messages.
	ForwardNoSpace ForwardFailure = 5
)

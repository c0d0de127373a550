package storage

// SessionKey names a session of an exactly-once subscription. It follows from the
// session's id and does not tell it: who reads a store cannot take up its sessions.
type SessionKey [16]byte

// MaxSessionClientBytes bounds SessionRecord.ClientID.
const MaxSessionClientBytes = 1024

// MaxSessionFailures bounds SessionRecord.Failures.
const MaxSessionFailures = 1200

// MaxHeldMessages bounds the messages of a HeldBlock.
const MaxHeldMessages = 64

// SessionChange is what changed of a session of an exactly-once subscription. What is
// stored of a session are pages: itself, and blocks of what it holds, each in a slot.
type SessionChange struct {
	Key SessionKey
	// Written says that Record replaces what is stored of the session itself, but for its
	// failures, which it replaces if FailuresChanged.
	Written, FailuresChanged bool
	Record                   SessionRecord
	// Blocks replace what is stored in their slots.
	Blocks []HeldBlock
	// Freed are the slots whose pages go; 0: the session itself.
	Freed []uint32
}

// SessionRecord is what is stored of a session itself.
type SessionRecord struct {
	ClientID string
	// Sent and Charged are what it was given so far: its last sequence and the sum of
	// sizes. Applied is its last settle that is durable.
	Sent, Charged, Applied uint64
	// Failures are what came to nothing of its last settles, in order of their numbers.
	Failures []SettleFailure
}

// SettleFailure is a range of sequences that a settle named in vain.
type SettleFailure struct {
	Number      uint64
	First, Last uint64
	// Reason is the broker's, opaque to the store.
	Reason uint8
}

// HeldBlock are sequences of a session that follow each other, MaxHeldMessages at most.
type HeldBlock struct {
	// Slot counts from 1, within MaxSessionSlots.
	Slot uint32
	// First is the first sequence.
	First uint64
	// Live has a bit for each message that is held, though what is settled may be set,
	// too; Started for each that was started.
	Live, Started uint64
	// Until is when the last of the leases ends, in Unix milliseconds.
	Until int64
	// Runs are the messages, in order of sequences; Sizes has the size of each, and Keys
	// its ordering key's hash, unless none matters.
	Runs  []HeldRun
	Sizes []uint32
	Keys  []KeyHash
}

// HeldRun is a range of offsets of a partition.
type HeldRun struct {
	Partition uint16
	// Generation is the cursor's: what was held of another one is void.
	Generation uint64
	First      Offset
	Count      uint8
}

// MaxSessionSlots bounds the slots of a session.
const MaxSessionSlots = 1 << 24

// StoredSession is a session as stored.
type StoredSession struct {
	Key SessionKey
	// Stored says that the session itself was, and not only blocks that are to go.
	Stored bool
	Record SessionRecord
	Blocks []StoredBlock
}

// StoredBlock is a block as stored. Version grows with each batch: of two blocks that
// name a message the later one counts.
type StoredBlock struct {
	HeldBlock

	Version uint64
}

package delivery

// SessionChange is what changed of a session, as it is to be stored. Each page replaces
// what is stored in its slot.
type SessionChange struct {
	Session SessionID
	// Written says that Record replaces page 0, FailuresChanged that its failures do.
	Written         bool
	FailuresChanged bool
	Record          SessionRecord
	Blocks          []HeldBlock
	// Freed are the slots of pages that go; 0: the session itself.
	Freed []uint32
}

// SessionRecord is what is durable of a session beside what it holds.
type SessionRecord struct {
	ClientID string
	// Sent and Charged are what it was given so far, Applied is the last settle whose
	// outcome is durable.
	Sent, Charged, Applied uint64
	// Failures are those of settles up to Applied, ascending, that may be asked for again.
	Failures []Failure
}

// HeldBlock is a part of what a session holds: up to 64 consecutive sequences.
type HeldBlock struct {
	Slot uint32
	// First is the first sequence, Messages how many follow each other.
	First    uint64
	Messages uint8
	// Live has bit i set for sequence First+i if it is outstanding, though what is acked
	// may be set, too; Started if it was started.
	Live, Started uint64
	// Until is when the last of their work leases ends, or a little later.
	Until Instant
	// Runs, Sizes and Keys say which messages they are, in order. Keys is empty where no
	// order is kept.
	Runs  []HeldRun
	Sizes []uint32
	Keys  []KeyHash
}

// HeldRun is a range of offsets of a partition in some generation.
type HeldRun struct {
	Partition  uint32
	Generation uint64
	First      uint64
	Count      uint8
}

// StoredSession is a session as recovery read it.
type StoredSession struct {
	// Session is a handle for the time to come; it was never used before.
	Session SessionID
	Record  SessionRecord
	// Stored says that its page 0 was there.
	Stored bool
	Blocks []StoredBlock
}

// StoredBlock is a block with the version of its page: of two that name a message the
// later one counts.
type StoredBlock struct {
	HeldBlock
	Version uint64
}

package delivery

// Stats is a snapshot of a subscription. Counters are sums over its partitions.
type Stats struct {
	Counters
	// Backlog counts unsettled messages; Outstanding those that sessions hold;
	// Waiting those given back or failed; Fresh those never delivered since New.
	Backlog          uint64
	Outstanding      uint64
	OutstandingBytes uint64
	Waiting          uint64
	Fresh            uint64
	Partitions       []PartitionStats
	Sessions         []SessionStats
}

// PartitionStats is a snapshot of one partition. With the cumulative bytes of
// a store at Floor and Head, a caller has the backlog in bytes.
type PartitionStats struct {
	Partition uint32
	Floor     uint64
	Head      uint64
	Backlog   uint64
	Counters  Counters
}

// SessionStats is a snapshot of one session.
type SessionStats struct {
	Session     SessionID
	ClientID    string
	Credit      Credit
	Outstanding Credit
	Blocked     Blocked
	// Since is when the session was attached, BlockedSince when Blocked last changed.
	Since        Instant
	BlockedSince Instant
	Delivered    uint64
	Acked        uint64
	Draining     bool
}

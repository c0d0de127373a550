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
	// ParkedKeys counts the keys that are parked, WaitingBehindKeys the messages that
	// were found to wait behind earlier ones of their keys.
	ParkedKeys        uint64
	WaitingBehindKeys uint64
	Partitions        []PartitionStats
	Sessions          []SessionStats
}

// PartitionStats is a snapshot of one partition. With the cumulative bytes of
// a store at Floor and Head, a caller has the backlog in bytes.
type PartitionStats struct {
	Partition uint32
	Floor     uint64
	Head      uint64
	Backlog   uint64
	// Fresh counts the messages that were never delivered since New.
	Fresh uint64
	// Dying counts those given up, which wait to be put away.
	Dying    uint64
	Counters Counters
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
	// DrySince is since when it has no credit, as far as it was told; 0: it has some.
	DrySince Instant
	// Away: it has no stream, and waits until Until to be taken up again.
	Away      bool
	Until     Instant
	Delivered uint64
	Acked     uint64
}

// Stats fills into, reusing its slices. It costs O(sessions + partitions).
func (s *State) Stats(into *Stats) {
	*into = Stats{
		Outstanding: s.ceiling.held.Messages, OutstandingBytes: s.ceiling.held.Bytes,
		Waiting:    s.pool.messages + s.keys.queued,
		ParkedKeys: s.keys.parked, WaitingBehindKeys: s.keys.queued + s.keys.behind,
		Partitions: into.Partitions[:0], Sessions: into.Sessions[:0],
	}
	for _, p := range s.order {
		into.Backlog += p.backlog()
		into.Fresh += p.fresh()
		into.add(&p.counters)
		into.Partitions = append(into.Partitions, p.stats())
	}
	for _, x := range s.sessions {
		into.Sessions = append(into.Sessions, s.statsOf(x))
	}
}

// Backlogs gives each partition's figures, by partition. It costs O(partitions).
func (s *State) Backlogs(give func(PartitionStats)) {
	for _, p := range s.order {
		give(p.stats())
	}
}

func (p *partition) stats() PartitionStats {
	return PartitionStats{
		Partition: p.id, Floor: p.floor, Head: p.head,
		Backlog: p.backlog(), Fresh: p.fresh(), Dying: p.dying, Counters: p.counters,
	}
}

func (s *State) statsOf(x *session) SessionStats {
	blocked, _ := s.blocked(x)
	return SessionStats{
		Session: x.id, ClientID: x.clientID, Since: x.since,
		Credit: x.left().least(s.ceiling.room()), Outstanding: x.stream.held,
		Blocked: blocked, BlockedSince: x.blockedSince, DrySince: x.withoutCredit(blocked),
		Away: x.absent, Until: x.resumeBy + s.stalled,
		Delivered: x.delivered, Acked: x.acked,
	}
}

// withoutCredit is since when a session has no credit, 0 when it has some.
func (x *session) withoutCredit(blocked Blocked) Instant {
	if !x.dry || blocked&noCredit == 0 {
		return 0
	}
	return x.drySince
}

func (c *Counters) add(o *Counters) {
	c.Delivered += o.Delivered
	c.Redelivered += o.Redelivered
	c.Acked += o.Acked
	c.Retried += o.Retried
	c.Released += o.Released
	c.Expired += o.Expired
	c.Rejected += o.Rejected
	c.DeadLettered += o.DeadLettered
	c.Removed += o.Removed
	c.Dropped += o.Dropped
}

package mutants

// atMost and exactly have the simulation deliver so in each episode.
var (
	atMost  = []string{"-guarantee=1"}
	exactly = []string{"-guarantee=2"}
	// rarely is for what seldom matters.
	rarely = []string{"-guarantee=2", "-steps=300000"}
)

// guaranteeFaults are those against how often a message may come.
var guaranteeFaults = []mutant{
	{
		name: "at most once, a frame leaves before its acks are committed",
		file: "unsent.go",
		old:  "(!s.journal.covers(u.set, u.position) || u.pages > s.ledger.covered)",
		new:  "(u.pages > s.ledger.covered)",
		args: atMost,
	},
	{
		name: "exactly once, a frame leaves before it is committed who holds it",
		file: "unsent.go",
		old:  "(!s.journal.covers(u.set, u.position) || u.pages > s.ledger.covered)",
		new:  "(!s.journal.covers(u.set, u.position))",
		args: exactly,
	},
	{
		name: "at most once, a session need not be manual",
		file: "attach.go",
		old:  "	case s.forgets && e.Replenish != Manual:\n		return EndNeedsManual\n",
		new:  "",
		args: atMost,
	},
	{
		name: "at most once, what was not sent stays charged",
		file: "unsent.go",
		old:  "		if s.forgets {\n			s.discharge(x",
		new:  "		if s.exact {\n			s.discharge(x",
		args: atMost,
	},
	{
		name: "exactly once, a number is written before what it changed",
		file: "ledger.go",
		old:  "		if p.position > j.base || p.letter > s.letters.written {\n			break",
		new:  "		if p.letter > s.letters.written+100 {\n			break",
		args: exactly,
	},
	{
		name: "exactly once, what came back stays written as held",
		file: "ledger.go",
		old:  "	case o.kind != acked:\n		s.ledger.touch(b.page)\n",
		new:  "",
		args: exactly,
	},
	{
		name: "exactly once, an extension is not written",
		file: "lease.go",
		old:  "	if s.exact {\n		s.ledger.touch(b.page)\n	}\n	limit",
		new:  "	limit",
		args: exactly,
	},
	{
		name: "exactly once, the leases of a broken stream end with its resume window",
		file: "resume.go",
		old:  "x := s.absences.top(); !s.exact || !s.stillLeased(x)",
		new:  "x := s.absences.top(); x != nil",
		args: exactly,
	},
	{
		name: "exactly once, a restart cuts leases at the resume window",
		file: "restore.go",
		old:  "began: now, ends: in.Until}",
		new:  "began: now, ends: now}",
		args: exactly,
	},
	{
		name: "exactly once, a restart holds what is written and not for the resume window",
		file: "resume.go",
		old:  "		if s.exact {\n			s.outlive(b, until)",
		new:  "		if s.exact {\n			s.outlive(b, 0)",
		args: exactly,
	},
	{
		name: "exactly once, what is held is fresh after a restart",
		file: "restore.go",
		old:  "	g.p.hold(offset)\n",
		new:  "",
		args: exactly,
	},
	{
		name: "exactly once, failures are forgotten in a restart",
		file: "restore.go",
		old:  "	x.failures = append(x.failures, r.Failures...)\n",
		new:  "",
		args: exactly,
	},
	{
		name: "exactly once, an ack that comes again after a restart fails",
		file: "restore.go",
		old:  "			b.x.book.acked.add(sequence, sequence)\n",
		new:  "",
		args: []string{"-guarantee=2", "-seed=20018"}, // It meets the case soon.
	},
	{
		name: "exactly once, who pulled before a restart is not done when all is settled",
		file: "pull.go",
		old:  "	x.hasLeft = true\n	s.finishLater(x)\n}\n\n// waitNoMore",
		new:  "	s.finishLater(x)\n}\n\n// waitNoMore",
		args: exactly,
	},
	{
		name: "exactly once, what was pulled before a restart is given back when it is taken up",
		file: "resume.go",
		old:  "e.Resume.ReceivedThrough, x.sent)+1",
		new:  "e.Resume.ReceivedThrough)+1",
		args: exactly,
	},
	{
		name: "exactly once, the lease of a frame that waited runs already",
		file: "lease.go",
		old:  "	if b.isUnsent() {\n		s.leases.put(b)\n		return\n	}\n",
		new:  "",
		args: exactly,
	},
	{
		name: "exactly once, a session that misbehaved gives its messages to others at once",
		file: "attach.go",
		old:  "	if s.exact && !x.absent && x.stream.held.Messages > 0 {\n		end :=",
		new:  "	if s.exact && x.absent && x.stream.held.Messages > 0 {\n		end :=",
		args: exactly,
	},
	{
		name: "exactly once, a shutdown gives back what is held",
		file: "drain.go",
		old:  "		if s.exact {\n			s.keepHeld(x)\n			continue\n		}\n",
		new:  "",
		args: exactly,
	},
	{
		name: "at most once, an ack of what was sent fails",
		file: "settle.go",
		old:  "	case s.forgets && (o.kind == acked || o.kind == extended):\n		return // it was settled before it was sent, and has no lease\n",
		new:  "",
		args: atMost,
	},
	{
		name: "exactly once, an extension is confirmed before it is committed",
		file: "ledger.go",
		old:  "p.x.gone || p.pages <= l.covered && p.x.book.durable >= p.number",
		new:  "p.x.gone || p.x.book.durable >= p.number",
		args: exactly,
	},
	{
		name: "exactly once, a settle is confirmed before its number is committed",
		file: "ledger.go",
		old:  "p.x.gone || p.pages <= l.covered && p.x.book.durable >= p.number",
		new:  "p.x.gone || p.pages <= l.covered",
		args: rarely,
	},
	{
		name: "exactly once, the key of what is held is free after a restart",
		file: "restore.go",
		old:  "		k.out = slices.Insert(k.out, i, sentKey{offset, sequence})\n",
		new:  "		_, _ = i, sequence\n",
		args: exactly,
	},
	{
		name: "exactly once, what was taken back before it left is not told",
		file: "unsent.go",
		old:  "			s.revoke(x, b.first+uint64(from), b.first+uint64(to)-1, KeyOrder)\n",
		new:  "",
		args: exactly,
	},
}

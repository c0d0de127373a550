package delivery_test

import (
	"fmt"
	"strconv"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/server/broker/delivery/model"
)

// one says yes once in n times.
func (s *sim) one(n int) bool { return s.IntN(n) == 0 }

func (s *sim) limit(messages, bytes int) delivery.Ceiling {
	return delivery.Ceiling{Messages: uint64(1 + s.IntN(messages)), Bytes: uint64(1 + s.IntN(bytes))}
}

// randomConfig sets a subscription to small limits, so that they are met.
func (s *sim) randomConfig() delivery.Config {
	c := delivery.Config{
		Seed: s.Uint64(), LeaseCap: time.Minute, Lease: 5 * time.Second,
		BackoffMin: 200 * time.Millisecond, BackoffMax: 5 * time.Second,
		TurnBytes: uint64(200 + s.IntN(3000)), LoadBytes: uint64(1 + s.IntN(5000)),
	}
	if s.one(2) {
		c.QueueLease = time.Duration(1+s.IntN(20)) * time.Second
	}
	if s.one(2) {
		c.DeadLetters = true
		c.MaxAttempts, c.MaxDeliveries = uint32(s.IntN(6)), uint32(s.IntN(4))
	}
	if s.one(6) {
		c.Mode = delivery.Exclusive
		if s.one(2) {
			c.Mode = delivery.Failover
		}
	}
	c.Paused = s.one(20)
	if s.one(4) {
		c.Cap = s.randomCap()
	}
	if s.one(2) {
		c.ResumeWindow = time.Duration(s.IntN(20)-1) * time.Second
	}
	if s.one(3) {
		c.Order = delivery.OrderKey
		if c.Mode != delivery.Shared && s.one(2) {
			c.Order = delivery.OrderPartition
		}
		c.KeyPolicy = delivery.KeyPolicy(s.IntN(3))
	}
	if s.one(4) {
		c.Subscription = s.limit(60, 6000)
	}
	if s.one(4) {
		c.Client = s.limit(30, 3000)
	}
	if s.one(4) {
		c.Stream = s.limit(20, 2000)
	}
	if s.one(5) && c.Order == delivery.OrderNone {
		c.MaxWaiting = uint64(5 + s.IntN(20))
	}
	return c
}

// randomCap bounds some of rates and concurrency.
func (s *sim) randomCap() (c delivery.DispatchCap) {
	if s.one(2) {
		c.MessagesPerSecond = float64(1+s.IntN(5000)) / 10
	}
	if s.one(2) {
		c.BytesPerSecond = float64(1 + s.IntN(30_000))
	}
	if s.one(3) {
		c.Concurrency = uint64(1 + s.IntN(40))
	}
	return c
}

// rules are the same in the model's words.
func (s *sim) rules() model.Rules {
	orElse := func(l delivery.Ceiling, messages, bytes uint64) model.Limit {
		m := model.Limit(l)
		if m.Messages == 0 {
			m.Messages = messages
		}
		if m.Bytes == 0 {
			m.Bytes = bytes
		}
		return m
	}
	c := s.config
	r := model.Rules{
		Exclusive: c.Mode == delivery.Exclusive,
		Failover:  c.Mode == delivery.Failover, Paused: c.Paused,
		Exact: c.Guarantee == delivery.ExactlyOnce, Forgets: c.Guarantee == delivery.AtMostOnce,
		MessageRate: c.Cap.MessagesPerSecond, ByteRate: c.Cap.BytesPerSecond, Concurrency: c.Cap.Concurrency,
		Order:        []string{"", "key", "partition"}[c.Order],
		Policy:       []string{"", "park", "skip"}[c.KeyPolicy],
		Redriven:     s.store.redriven,
		Subscription: orElse(c.Subscription, delivery.DefaultMaxMessages, delivery.DefaultMaxBytes),
		Client:       model.Limit(c.Client), Stream: model.Limit(c.Stream),
		LeaseCap: c.LeaseCap, QueueLease: c.QueueLease, DeadLetters: c.DeadLetters, MaxAttempts: c.MaxAttempts, MaxDeliveries: c.MaxDeliveries,
		BackoffMin: c.BackoffMin, BackoffMax: c.BackoffMax, MaxWaiting: c.MaxWaiting,
	}
	switch {
	case c.ResumeWindow > 0:
		r.ResumeWindow = c.ResumeWindow
	case c.ResumeWindow == 0 && c.Mode == delivery.Shared:
		r.ResumeWindow = delivery.DefaultResumeWindow
	}
	if r.QueueLease == 0 {
		r.QueueLease = delivery.DefaultQueueLease
	}
	if r.MaxWaiting == 0 {
		r.MaxWaiting = delivery.DefaultMaxWaiting
	}
	return r
}

// action is something that may happen, with how often.
type action struct {
	weight int
	do     func()
}

// randomActions gives each episode its own mixture: some have no failures, some
// hardly anything else.
func (s *sim) randomActions() []action {
	all := []action{
		{30, s.publish}, {60, s.settle}, {12, s.attach}, {25, s.answerLoads}, {25, s.commit},
		{8, s.credit}, {4, s.leave}, {4, s.extend}, {15, s.start}, {3, s.writable}, {3, s.heard}, {2, s.detach}, {1, s.drain},
		{1, s.hole}, {1, s.drop}, {1, s.bury}, {1, s.stall}, {1, s.configure}, {1, s.restart}, {1, s.release}, {3, s.resume}, {1, s.move},
		{2, s.hold}, {0, s.stop}, {1, s.fault},
	}
	for i := range all {
		switch s.IntN(4) {
		case 0:
			all[i].weight *= 3
		case 1:
			all[i].weight /= 2
		}
	}
	if s.one(10) {
		all[len(all)-2].weight = 1
	}
	return all
}

// act lets one random thing happen.
func (s *sim) act() {
	if s.held > 0 {
		s.actHeld()
		return
	}
	sum := 0
	for _, a := range s.actions {
		sum += a.weight
	}
	n := s.IntN(sum)
	for _, a := range s.actions {
		if n -= a.weight; n < 0 {
			a.do()
			return
		}
	}
}

func (s *sim) publish() {
	s.state.Stats(&s.stats)
	if s.stats.Backlog > 150 {
		return
	}
	p := s.store.partitions[s.IntN(len(s.store.partitions))]
	sizes := make([]uint64, 1+s.IntN(30))
	for i := range sizes {
		sizes[i] = uint64(1 + s.IntN(100))
		if s.one(40) {
			sizes[i] = uint64(1 + s.IntN(4000))
		}
	}
	keys := make([]int, len(sizes))
	for i := range keys {
		if !s.one(4) {
			keys[i] = 1 + s.IntN(s.keys)
		}
	}
	segment := p.publishKeys(sizes, keys, uint32(s.IntN(1000)), int64(s.now))
	s.model.Publish(p.id, sizes, keys)
	s.emit(&delivery.Head{Partition: p.id, Next: p.head})
	if s.one(2) {
		p.resident[segment.Base] = true
		s.emit(&delivery.Loaded{Partition: p.id, Segments: []delivery.Segment{segment}})
	}
}

func (s *sim) attach() {
	if len(s.clients) >= 5 {
		return
	}
	e := s.randomAttach()
	e.Stamp = delivery.Stamp{Session: s.nextID, At: s.at()}
	s.nextID++
	s.clients = append(s.clients, &simClient{id: e.Session, manual: e.Replenish == delivery.Manual, pulls: e.Pull})
	s.model.Attach(modelAttach(e))
	s.emit(e)
}

func (s *sim) randomAttach() *delivery.Attach {
	e := &delivery.Attach{
		MaxFrameBytes: uint64(150 + s.IntN(6000)),
		Lease:         time.Duration(1+s.IntN(20)) * time.Second,
		Window:        delivery.Credit{Messages: uint64(s.IntN(40)), Bytes: uint64(s.IntN(4000))},
	}
	if s.one(2) {
		e.ClientID = fmt.Sprintf("client-%d", s.IntN(3))
	}
	if s.one(3) {
		e.Replenish = delivery.Manual
	}
	for _, f := range []delivery.Features{
		delivery.TellsStarted, delivery.KeyBatches, delivery.AnswersRecall, delivery.Resumes,
	} {
		if s.one(2) {
			e.Features |= f
		}
	}
	e.Takeover = s.one(8)
	if s.one(6) {
		e.Pull, e.Replenish, e.Features = true, delivery.Manual, 0
	}
	return e
}

func modelAttach(e *delivery.Attach) model.Attach {
	return model.Attach{
		Session: uint64(e.Session), At: e.At, Client: e.ClientID, Manual: e.Replenish == delivery.Manual,
		Window: model.Limit(e.Window), MaxFrame: e.MaxFrameBytes, Lease: e.Lease, Takeover: e.Takeover, Pull: e.Pull,
		TellsStarted: e.Features&delivery.TellsStarted != 0, KeyBatches: e.Features&delivery.KeyBatches != 0,
		AnswersRecall: e.Features&delivery.AnswersRecall != 0, Resumes: e.Features&delivery.Resumes != 0,
	}
}

// leave has somebody who pulls wait no more.
func (s *sim) leave() {
	if c := s.anyClient(); c != nil {
		s.model.Leave(uint64(c.id))
		s.emit(&delivery.Leave{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}})
	}
}

func (s *sim) credit() {
	c := s.anyClient()
	if c == nil {
		return
	}
	stamp := delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}
	wrong := s.one(200)
	if c.manual != wrong {
		e := &delivery.Grant{Stamp: stamp, ThroughSequence: c.sent + uint64(s.IntN(30)), ThroughBytes: c.charged + uint64(s.IntN(3000))}
		s.model.Grant(uint64(c.id), e.At, model.Limit{Messages: e.ThroughSequence, Bytes: e.ThroughBytes})
		s.emit(e)
		return
	}
	e := &delivery.Window{Stamp: stamp, Credit: delivery.Credit{Messages: uint64(s.IntN(40)), Bytes: uint64(s.IntN(4000))}}
	s.model.Window(uint64(c.id), e.At, model.Limit(e.Credit))
	s.emit(e)
}

func (s *sim) settle() {
	c := s.anyClient()
	if c == nil || len(c.holds) == 0 && !s.one(10) {
		return
	}
	if len(c.asked) > 0 {
		s.answerRecall(c)
		return
	}
	e := &delivery.Settle{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}, Ranges: s.ranges(c), Delay: -1}
	var verdict model.Verdict
	switch n := s.IntN(20); {
	case n < 13:
		e.Verdict, verdict = delivery.Ack, model.Ack
	case n < 16:
		e.Verdict, verdict = delivery.Retry, model.Retry
		if s.one(3) {
			e.Delay = time.Duration(s.IntN(1000)) * time.Millisecond
		}
	case n < 19:
		e.Verdict, verdict = delivery.Release, model.Release
	default:
		e.Verdict, verdict = delivery.Reject, model.Reject
	}
	if verdict == model.Retry || verdict == model.Reject {
		e.Code = strconv.Itoa(s.IntN(100))
	}
	e.Number = s.number(c)
	if (verdict != model.Reject || s.config.DeadLetters) && !s.one(30) {
		c.let(e.Ranges)
	}
	s.tellSettle(e, verdict)
}

// answerRecall releases what a client was asked for, or a part of it.
func (s *sim) answerRecall(c *simClient) {
	e := &delivery.Settle{
		Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}, Verdict: delivery.Release, Delay: -1,
		Ranges: c.asked[:1+s.IntN(len(c.asked))],
	}
	e.Ranges = append([]delivery.SequenceRange(nil), e.Ranges...)
	c.number++
	e.Number, c.asked = c.number, nil
	c.let(e.Ranges)
	s.tellSettle(e, model.Release)
}

func (s *sim) tellSettle(e *delivery.Settle, verdict model.Verdict) {
	s.model.Settle(model.Settle{
		Session: uint64(e.Session), At: e.At, Number: e.Number, Ranges: modelRanges(e.Ranges), Verdict: verdict, Delay: e.Delay, Code: e.Code,
	})
	s.emit(e)
	if c := s.client(e.Session); c != nil {
		c.unconfirmed = append(c.unconfirmed, e)
	}
}

func modelRanges(all []delivery.SequenceRange) (out []model.Range) {
	for _, r := range all {
		out = append(out, model.Range(r))
	}
	return out
}

// start tells of deliveries that a client begins to work on.
func (s *sim) start() {
	c := s.anyClient()
	if c == nil {
		return
	}
	e := &delivery.Started{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}, Ranges: s.ranges(c)}
	s.model.Started(uint64(c.id), e.At, modelRanges(e.Ranges))
	s.emit(e)
}

func (s *sim) extend() {
	c := s.anyClient()
	if c == nil {
		return
	}
	e := &delivery.Extend{
		Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}, Ranges: s.ranges(c), Number: s.number(c),
		Duration: time.Duration(s.IntN(40)) * time.Second,
	}
	c.unconfirmed = append(c.unconfirmed, e)
	s.tellExtend(e)
}

func (s *sim) tellExtend(e *delivery.Extend) {
	s.model.Settle(model.Settle{
		Session: uint64(e.Session), At: e.At, Number: e.Number, Ranges: modelRanges(e.Ranges),
		Verdict: model.Extension, Duration: e.Duration,
	})
	s.emit(e)
}

func (s *sim) writable() {
	if c := s.anyClient(); c != nil {
		writable := !s.one(3)
		s.model.Writable(uint64(c.id), writable)
		s.emit(&delivery.Writable{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}, Writable: writable})
	}
}

func (s *sim) heard() {
	for _, c := range s.clients {
		if !s.one(4) {
			e := &delivery.Heard{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}}
			s.model.Heard(uint64(c.id), e.At)
			s.emit(e)
		}
	}
}

func (s *sim) detach() {
	c := s.anyClient()
	if c == nil {
		return
	}
	e := &delivery.Detach{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}}
	switch n := s.IntN(5); {
	case n < 2 && !c.pulls:
		e.How = delivery.Clean
		s.model.Close(uint64(c.id), e.At)
	case n == 2 || c.pulls:
		e.How = delivery.Gone
		s.model.Gone(uint64(c.id), e.At)
	default:
		e.How = delivery.Broken
		s.model.Break(uint64(c.id), e.At)
		s.away = append(s.away, c)
	}
	s.forgetClient(c.id)
	s.emit(e)
}

func (s *sim) drain() {
	if c := s.anyClient(); c != nil && !c.pulls {
		e := &delivery.Drain{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}, Grace: time.Duration(s.IntN(5000)) * time.Millisecond}
		s.model.Drain(uint64(c.id), e.At, e.Grace)
		s.emit(e)
	}
}

// move asks a session, or all, to leave their streams.
func (s *sim) move() {
	e := &delivery.Move{At: s.at(), Grace: time.Duration(s.IntN(5000)) * time.Millisecond, Reason: delivery.GoAwayRebalance}
	if c := s.anyClient(); c != nil && !s.one(4) {
		e.Session, e.Reason = c.id, delivery.GoAwayStream
	}
	s.model.Move(uint64(e.Session), e.At, e.Grace)
	s.emit(e)
}

// hole settles a part of a partition, or skips beyond its head.
func (s *sim) hole() {
	p := s.store.partitions[s.IntN(len(s.store.partitions))]
	first := p.head
	if s.one(2) && p.head > p.floor {
		first = p.floor + s.Uint64N(p.head-p.floor)
	}
	last := first + uint64(s.IntN(20))
	if s.one(5) {
		last = first + uint64(s.IntN(9000))
	}
	if first < p.head {
		last = min(last, p.head-1)
	}
	p.head = max(p.head, last+1)
	p.holes = append(p.holes, delivery.OffsetRange{First: first, Last: last})
	s.model.Hole(p.id, first, last)
	s.emit(&delivery.Hole{Partition: p.id, First: first, Last: last})
}

// drop takes the oldest messages of a partition away, whoever holds them.
func (s *sim) drop() {
	p := s.store.partitions[s.IntN(len(s.store.partitions))]
	below := p.floor
	if p.head > p.floor {
		below += s.Uint64N(p.head - p.floor + 2)
	}
	cause := delivery.DropCause(s.IntN(2))
	s.model.Drop(p.id, below, cause == delivery.ByRetention)
	s.emit(&delivery.Drop{Partition: p.id, Below: below, Cause: cause})
}

// bury gives up the oldest messages of a partition that nobody got.
func (s *sim) bury() {
	if s.config.Order != delivery.OrderNone || !s.config.DeadLetters {
		return
	}
	p := s.store.partitions[s.IntN(len(s.store.partitions))]
	n := 1 + s.Uint64N(20)
	s.model.Bury(p.id, n)
	s.emit(&delivery.Bury{Partition: p.id, Messages: n})
}

// release lets the parked keys of a partition go on.
func (s *sim) release() {
	id := uint32(s.IntN(len(s.store.partitions)))
	s.model.Release(id)
	s.emit(&delivery.ReleaseKeys{Partition: id, All: true})
}

func (s *sim) stall() {
	d := time.Duration(s.IntN(20_000)) * time.Millisecond
	s.model.Stall(d)
	s.emit(&delivery.Stalled{Duration: d})
}

func (s *sim) configure() {
	fresh := s.randomConfig()
	fresh.Mode, fresh.Order, fresh.Seed = s.config.Mode, s.config.Order, s.config.Seed
	fresh.Guarantee = s.config.Guarantee
	if fresh.Order != delivery.OrderNone {
		fresh.MaxWaiting = 0
	}
	s.config = fresh
	s.model.Configure(s.rules())
	s.emit(&delivery.Configure{Config: s.config})
}

func (s *sim) stop() {
	grace := time.Duration(s.IntN(5000)) * time.Millisecond
	at := s.at()
	s.model.Shutdown(at, grace)
	s.emit(&delivery.Shutdown{At: at, Grace: grace})
	s.shutdown = true
}

// fault attaches a session twice, before anything else happens to it, or sends a
// late frame of one that is gone.
func (s *sim) fault() {
	c := s.anyClient()
	if c == nil || !c.admitted || len(s.events) > 0 || !s.one(10) {
		s.emit(&delivery.Heard{Stamp: delivery.Stamp{Session: s.nextID + 1000, At: s.at()}})
		return
	}
	e := &delivery.Attach{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}, Lease: time.Second}
	s.model.Attach(model.Attach{Session: uint64(c.id), At: e.At, Lease: e.Lease})
	s.emit(e)
}

// answerLoads answers one load, or all.
func (s *sim) answerLoads() {
	all := s.one(2)
	for len(s.store.loads) > 0 {
		i := s.IntN(len(s.store.loads))
		load := s.store.loads[i]
		s.store.loads = append(s.store.loads[:i], s.store.loads[i+1:]...)
		s.answerLoad(load)
		if !all {
			return
		}
	}
}

func (s *sim) answerLoad(load delivery.Load) {
	p := s.store.partitions[load.Partition]
	if segments, ok := p.find(load.Offset, load.Bytes); ok {
		for _, g := range segments {
			p.resident[g.Base] = true
		}
		s.emit(&delivery.Loaded{Partition: p.id, Segments: segments})
		return
	}
	if h, ok := p.hole(load.Offset); ok {
		s.emit(&delivery.Hole{Partition: p.id, First: h.First, Last: h.Last})
	}
}

func (s *sim) commit() {
	if s.store.open == nil {
		return
	}
	number := s.store.commit()
	s.model.Committed(number)
	s.emit(&delivery.Committed{Number: number})
	if s.config.Guarantee != delivery.AtLeastOnce && s.failure == nil {
		s.failure = s.turn() // what it sends comes before what happens next
	}
}

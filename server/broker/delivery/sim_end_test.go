package delivery_test

import (
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/server/broker/delivery/model"
)

// restart forgets what was not committed.
func (s *sim) restart() {
	if !s.one(5) {
		return
	}
	s.events = s.events[:0]
	if s.store.open != nil && s.one(2) {
		s.model.Committed(s.store.commit())
	}
	s.store.forget()
	s.clientsAfterRestart()
	s.model.Restart(s.now)
	s.store.forgotten = s.model.Totals().Since(s.store.totals())
	s.config.Seed = s.Uint64()
	s.state = s.recovered()
}

// totals sums the counters on disk.
func (st *simStore) totals() (t model.Totals) {
	for _, p := range st.partitions {
		c := p.counters
		t.Delivered += c.Delivered
		t.Redelivered += c.Redelivered
		t.Acked += c.Acked
		t.Retried += c.Retried
		t.Released += c.Released
		t.Expired += c.Expired
		t.Rejected += c.Rejected
		t.DeadLettered += c.DeadLettered
		t.Removed += c.Removed
		t.Dropped += c.Dropped
	}
	return t
}

// calm breaks all sessions and takes every limit away.
func (s *sim) calm() {
	for len(s.clients) > 0 {
		c := s.clients[0]
		at := s.at()
		s.model.Break(uint64(c.id), at)
		s.emit(&delivery.Detach{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: at}, How: delivery.Broken})
		s.forgetClient(c.id)
	}
	for id := range uint32(len(s.store.partitions)) {
		s.model.Release(id)
		s.emit(&delivery.ReleaseKeys{Partition: id, All: true})
	}
	s.config = delivery.Config{Mode: s.config.Mode, Order: s.config.Order, Guarantee: s.config.Guarantee, BackoffMin: time.Second, BackoffMax: time.Minute, LeaseCap: time.Hour}
	s.model.Configure(s.rules())
	s.emit(&delivery.Configure{Config: s.config})
}

// finishStep commits and loads whatever there is; one patient client with all the
// credit there is acks everything.
func (s *sim) finishStep() {
	s.commit()
	for len(s.store.loads) > 0 {
		s.answerLoads()
	}
	if len(s.clients) == 0 {
		if s.stats.Backlog > 0 {
			s.attachPatient()
		}
		return
	}
	c := s.clients[0]
	if s.stats.Backlog == 0 {
		s.model.Close(uint64(c.id), s.at())
		s.emit(&delivery.Detach{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.lastAt}, How: delivery.Clean})
		return
	}
	s.model.Heard(uint64(c.id), s.at())
	s.emit(&delivery.Heard{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.lastAt}})
	if len(c.holds) == 0 {
		return
	}
	e := &delivery.Settle{Stamp: delivery.Stamp{Session: c.id, Incarnation: c.incarnation, At: s.at()}, Verdict: delivery.Ack, Delay: -1}
	for _, sequence := range c.holds {
		e.Ranges = appendSequence(e.Ranges, sequence)
	}
	c.number++
	e.Number = c.number
	c.holds = c.holds[:0]
	s.tellSettle(e, model.Ack)
}

func (s *sim) attachPatient() {
	e := &delivery.Attach{
		Stamp:  delivery.Stamp{Session: s.nextID, At: s.at()},
		Window: delivery.Credit{Messages: 1 << 30, Bytes: 1 << 40}, MaxFrameBytes: 1 << 20, Lease: time.Minute,
		Takeover: true,
	}
	manual := s.config.Guarantee == delivery.AtMostOnce
	if manual {
		e.Replenish = delivery.Manual
	}
	s.nextID++
	s.clients = append(s.clients, &simClient{id: e.Session, manual: manual})
	s.model.Attach(model.Attach{
		Session: uint64(e.Session), At: e.At, Window: model.Limit(e.Window), MaxFrame: e.MaxFrameBytes, Lease: e.Lease, Takeover: true,
		Manual: manual,
	})
	s.emit(e)
	if manual {
		all := &delivery.Grant{Stamp: e.Stamp, ThroughSequence: 1 << 40, ThroughBytes: 1 << 50}
		s.model.Grant(uint64(e.Session), e.At, model.Limit{Messages: all.ThroughSequence, Bytes: all.ThroughBytes})
		s.emit(all)
	}
}

package delivery_test

import (
	"fmt"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/server/broker/delivery/model"
)

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

package broker

import (
	"slices"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// member is a session as its owner loop knows it, over all of its streams: each
// Session is one stream of one member. Owner loop only.
//
//	Open ─► stream 0 ──✕ breaks … away … Open{resume} ─► stream 1 ─► closed
//	       └────────────────────── one member ───────────────────────────┘
type member struct {
	handle delivery.SessionID
	// incarnation is that of the stream that came last, or asks to come.
	incarnation uint32
	id          string
	publicName  string
	clientID    string
	openedAt    time.Time
	// key is its name in the store, of one that was there before the server started; its
	// id is known once it comes back.
	key storage.SessionKey
	// stream is the one that was admitted last; it may have ended since.
	stream *Session
}

// members are the sessions of a subscription, those that are away included. Owner
// loop only.
type members struct {
	byHandle map[delivery.SessionID]*member
	byID     map[string]*member
	// byKey are those that were stored before the server started.
	byKey map[storage.SessionKey]*member
	// arriving are the streams whose Attach is not answered, until the turn's effects
	// are performed; departed the members whose stream ended in this turn.
	arriving []*Session
	departed []*member
}

func newMembers() members {
	return members{
		byHandle: map[delivery.SessionID]*member{}, byID: map[string]*member{}, byKey: map[storage.SessionKey]*member{},
	}
}

// stream is the stream that a session has, or had last; nil when it is not known.
func (m *members) stream(handle delivery.SessionID) *Session {
	if member := m.byHandle[handle]; member != nil {
		return member.stream
	}
	return nil
}

// streams are the streams that the sessions have, or had last.
func (m *members) streams() map[delivery.SessionID]*Session {
	streams := make(map[delivery.SessionID]*Session, len(m.byHandle))
	for handle, member := range m.byHandle {
		streams[handle] = member.stream
	}
	return streams
}

// find is the session with an id, nil when there is none.
func (m *members) find(id string) *member {
	if found := m.byID[id]; found != nil || id == "" || len(m.byKey) == 0 {
		return found
	}
	return m.byKey[sessionKey(id)]
}

// errOtherClient refuses to take up the session of a client with another client id.
var errOtherClient = &FieldError{Field: "resume.session_id", Limit: "a session of the same client_id"}

// former finds the member that a new stream takes up again; with a nil one and no error a
// new session begins.
func (l *loop) former(s *Session) (m *member, err error) {
	switch m = l.members.find(s.resumes); {
	case s.takesUpPull():
		return l.memberOfPull(s, m)
	case m == nil || isPull(s.resumes):
		m = nil // what was pulled has no stream
	case m.clientID != s.params.ClientID:
		err = errOtherClient
	}
	return m, err
}

// arrive finds the member that a new stream takes up again, or makes one. A nil event
// means that the stream was refused.
func (l *loop) arrive(s *Session, e *delivery.Attach) delivery.Event {
	m, err := l.former(s)
	switch {
	case err != nil:
		s.leave()
		s.admitted <- err
		return nil
	case m == nil:
		m = &member{handle: s.owned.handle, id: s.id, publicName: s.publicName, clientID: s.params.ClientID, openedAt: s.openedAt}
		l.nameSession(m)
		e.Resume = nil
	default:
		m.incarnation++
		m.id = s.resumes
	}
	s.owned.member, s.owned.handle, s.owned.incarnation = m, m.handle, m.incarnation
	s.owned.room, s.owned.writable = true, true
	l.members.arriving = append(l.members.arriving, s)
	if l.watches == nil {
		l.watch()
	}
	return e
}

// arrived takes a stream whose Attach was answered out of those that wait for it.
func (l *loop) arrived(handle delivery.SessionID, incarnation uint32) *Session {
	for i, s := range l.members.arriving {
		if s.owned.handle == handle && s.owned.incarnation == incarnation {
			l.members.arriving = slices.Delete(l.members.arriving, i, i+1)
			return s
		}
	}
	return nil
}

// enter makes the stream that was admitted its member's.
func (l *loop) enter(s *Session) {
	m := s.owned.member
	m.stream = s
	s.id, s.publicName, s.openedAt = m.id, m.publicName, m.openedAt
	l.members.byHandle[m.handle], l.members.byID[m.id] = m, m
	if !s.owned.gone {
		l.sessions[m.handle] = s
	}
}

// leaving notes that a stream has ended, and maybe its session with it.
func (l *loop) leaving(s *Session) {
	if s.owned.gone {
		return
	}
	if m := s.owned.member; m != nil {
		l.members.departed = append(l.members.departed, m)
	}
	l.forget(s)
}

// forget takes a stream off the loop.
func (l *loop) forget(s *Session) {
	s.owned.gone = true
	if l.sessions[s.owned.handle] == s {
		delete(l.sessions, s.owned.handle)
	}
	s.abandon(ErrUnknownOutcome)
	s.leave()
}

// expel forgets a session that the state machine does not know any more: it has not
// been begun anew, and does not wait to be taken up again.
func (l *loop) expel(handle delivery.SessionID) {
	if m := l.members.byHandle[handle]; m != nil && !l.state.Knows(handle) {
		delete(l.members.byHandle, handle)
		delete(l.members.byID, m.id)
		delete(l.members.byKey, m.key)
		l.unname(handle)
	}
}

// closeTurn forgets who went for good in this turn, and without streams watches no
// heads, so that an idle subscription costs publishers nothing.
func (l *loop) closeTurn() {
	for _, m := range l.members.departed {
		l.expel(m.handle)
	}
	clear(l.members.departed)
	l.members.departed = l.members.departed[:0]
	if len(l.sessions) == 0 && l.watches != nil && l.keeper == nil {
		l.unwatch()
	}
}

package broker

import (
	"slices"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// snapshot is what an owner loop tells of itself: immutable once published.
type snapshot struct {
	stats    delivery.Stats
	sessions map[delivery.SessionID]*Session
	busy     float64
	// taken is when it was published.
	taken delivery.Instant
}

// publishSnapshot publishes a snapshot when somebody asked for one. Loop only.
func (l *loop) publishSnapshot() {
	if len(l.taken.asked) == 0 {
		return
	}
	l.state.Stats(&l.stats)
	stats := l.stats
	stats.Partitions = slices.Clone(l.stats.Partitions)
	stats.Sessions = slices.Clone(l.stats.Sessions)
	now := l.clock.now()
	l.snapshot.Store(&snapshot{
		stats: stats, sessions: l.members.streams(), busy: l.meter.share(l.clock.running()), taken: now,
	})
	for _, done := range l.taken.asked {
		signal(done)
	}
	l.taken.asked = l.taken.asked[:0]
}

// lastSnapshot is the last one published, or why the loop has ended.
func (l *loop) lastSnapshot() (*snapshot, error) {
	select {
	case <-l.done:
		return nil, l.fate
	default:
		return l.snapshot.Load(), nil
	}
}

// sessionStats describes the sessions of a snapshot, in the order of their opening.
func (s *snapshot) sessionStats() []SessionStats {
	var described []SessionStats
	for i := range s.stats.Sessions {
		from := &s.stats.Sessions[i]
		session := s.sessions[from.Session]
		if session == nil {
			continue
		}
		one := session.stats(from)
		one.WithoutCredit = s.since(from.DrySince)
		one.ResumableFor = s.until(from)
		described = append(described, one)
	}
	slices.SortFunc(described, func(a, b SessionStats) int { return a.OpenedAt.Compare(b.OpenedAt) })
	return described
}

// stats describes a session.
func (s *Session) stats(from *delivery.SessionStats) SessionStats {
	return SessionStats{
		Session:     s.publicName,
		ClientID:    s.params.ClientID,
		Labels:      s.params.Labels,
		OpenedAt:    s.openedAt,
		Credit:      from.Credit,
		Outstanding: from.Outstanding,
		Blocked:     from.Blocked,
		Delivered:   from.Delivered,
		Acked:       from.Acked,
		Away:        from.Away,
	}
}

// until is how long a session that is away still waits.
func (s *snapshot) until(from *delivery.SessionStats) time.Duration {
	if !from.Away {
		return 0
	}
	return max(0, from.Until-s.taken)
}

// since is how long ago something was when the snapshot was taken; 0 when it never was.
func (s *snapshot) since(at delivery.Instant) time.Duration {
	if at == 0 {
		return 0
	}
	return max(0, s.taken-at)
}

// meter measures the share of time that a loop works. Loop only.
type meter struct {
	// since is when the period began that share reports, changed when work last
	// began or ended.
	since, changed time.Duration
	busy           time.Duration
	resting        bool
}

// rest notes that the loop begins to wait.
func (m *meter) rest(now time.Duration) {
	m.busy += now - m.changed
	m.changed, m.resting = now, true
}

// work notes that the loop goes on.
func (m *meter) work(now time.Duration) { m.changed, m.resting = now, false }

// share is the share of time worked since the last call, 0 to 1.
func (m *meter) share(now time.Duration) float64 {
	if !m.resting {
		m.busy += now - m.changed
		m.changed = now
	}
	elapsed := now - m.since
	share := float64(m.busy) / float64(max(elapsed, 1))
	m.busy, m.since = 0, now
	return min(share, 1)
}

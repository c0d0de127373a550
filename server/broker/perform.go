package broker

import (
	"io"
	"slices"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// perform does what the state machine decided. Loop only, like all of this file.
func (l *loop) perform(effect delivery.Effect) {
	switch e := effect.(type) {
	case *delivery.Load:
		l.load(e)
	case *delivery.Unload:
		l.segments.remove(e.Partition, storage.Offset(e.Base))
	case *delivery.ChangeSet:
		l.submitted, l.buried = e.Number, int64(len(e.DeadLetters))
		stored, err := l.changes.fill(e, l.clock.dueTimesNow(), l.segments)
		if err != nil {
			l.brokenf("change set %d: %v", e.Number, err)
			return
		}
		l.forwarding.address(stored)
		l.sealReleases()
		l.slot.Submit(stored)
	case *delivery.EndSession:
		l.endSession(e)
	case *delivery.Attached:
		if s := l.arrived(e.Session, e.Incarnation); s != nil {
			l.admit(s, e)
		}
	case *delivery.Deliver:
		if s := l.sessions[e.Session]; s != nil {
			l.deliver(s, e)
		}
	default:
		l.control(effect)
	}
}

// control hands a control item to its session.
func (l *loop) control(effect delivery.Effect) {
	switch e := effect.(type) {
	case *delivery.SettleResult:
		switch s := l.sessions[e.Session]; {
		case s == nil:
		case s.params.pulls:
			s.confirm(e)
		default:
			s.out.settled(SettleResult{ConfirmedThrough: e.ConfirmedThrough, Failures: e.Failures})
		}
	case *delivery.Flow:
		if s := l.sessions[e.Session]; s != nil {
			s.out.flow(l.flowState(s, e))
		}
	case *delivery.Revoked:
		if s := l.sessions[e.Session]; s != nil {
			l.revoke(s, e)
		}
	case *delivery.Recall:
		if s := l.sessions[e.Session]; s != nil {
			s.out.recall(Recall{Ranges: slices.Clone(e.Ranges)})
		}
	case *delivery.GoAway:
		if s := l.sessions[e.Session]; s != nil {
			s.owned.sentAway = s.owned.sentAway || e.Reason != delivery.GoAwayShutdown
			s.out.goAway(GoAway{Reason: e.Reason, Grace: e.Grace})
		}
	case *delivery.Drained:
		if s := l.sessions[e.Session]; s != nil {
			s.out.drain()
		}
	}
}

// admit answers an Attach.
func (l *loop) admit(s *Session, e *delivery.Attached) {
	l.enter(s)
	s.limits, s.order, s.guarantee = l.limits(s, e.Ceilings, e.Lease), l.order, l.guarantee
	if e.Resumed != nil {
		s.resumed = &Resumed{
			Kept: slices.Clone(e.Resumed.Kept), NextSequence: e.Resumed.NextSequence, ChargedBytes: e.Resumed.ChargedBytes,
			Applied: e.Resumed.Applied,
		}
		s.numberOn(e.Resumed)
	}
	s.owned.told = s.limits
	s.owned.admitted = true
	l.look(s) // memory may hold it back
	s.admitted <- nil
}

// limits are the values in force for a session.
func (l *loop) limits(s *Session, c delivery.Ceilings, lease time.Duration) SessionLimits {
	resumeWindow := l.resumeWindow
	if s.params.Features&Resumes == 0 {
		resumeWindow = 0
	}
	return SessionLimits{
		ResumeWindow:               resumeWindow,
		MaxFrameBytes:              orDefault(s.params.MaxFrameBytes, delivery.DefaultMaxFrameBytes),
		MaxOutstanding:             Amount(c.Stream),
		ClientMaxOutstanding:       Amount(c.Client),
		SubscriptionMaxOutstanding: Amount(c.Subscription),
		Lease:                      lease,
		MaxLease:                   max(lease, l.maxLease),
	}
}

// deliver queues a frame for a session.
func (l *loop) deliver(s *Session, e *delivery.Deliver) {
	f := frames.Get().(*Frame) //nolint:forcetypeassert // the pool holds nothing else
	f.FirstSequence, f.Messages = e.FirstSequence, e.Messages
	f.Bytes, f.ChargedBytes = int(e.Bytes), e.ChargedBytes
	f.Runs = append(f.Runs, e.Runs...)
	f.Attempts = append(f.Attempts, e.Attempts...)
	for _, run := range e.Runs {
		first := storage.Offset(run.First)
		end := first + storage.Offset(run.Count)
		segment := l.segments.find(run.Partition, first, end)
		if segment == nil {
			l.brokenf("partition %d: no segment at hand for %d..%d", run.Partition, first, end)
			f.Release()
			return
		}
		f.Parts = append(f.Parts, Part{Segment: segment.Retain(), First: first, End: end})
	}
	if room := s.out.push(f); !room {
		s.owned.room = false
		l.look(s)
	}
}

// flowState is what a session is told of the flow.
func (l *loop) flowState(s *Session, e *delivery.Flow) FlowState {
	f := FlowState{
		Credit:      e.Credit,
		Outstanding: e.Outstanding,
		Backlog:     Amount{Messages: e.Backlog, Bytes: l.estimate(e.Backlog)},
		Blocked:     e.Blocked,
		NeedsBytes:  e.NeedsBytes,
	}
	if e.OldestTime != 0 {
		f.OldestAge = max(0, l.clock.wall().Sub(time.Unix(0, e.OldestTime)))
	}
	if limits := l.limits(s, e.Ceilings, e.Lease); limits != s.owned.told {
		s.owned.told = limits
		f.Limits = &SessionLimits{}
		*f.Limits = limits
	}
	return f
}

// estimate is the size of so many messages by the mean size of what is retained,
// which is measured once a second at most.
func (l *loop) estimate(messages uint64) uint64 {
	if l.meanAt == 0 || l.now-l.meanAt >= time.Second {
		l.mean, l.meanAt = l.meanBytes(), l.now
	}
	return uint64(l.mean * float64(messages))
}

func (l *loop) meanBytes() float64 {
	var messages, bytes uint64
	for place := range l.known {
		if !l.route.exists(place) {
			continue
		}
		figures, err := l.store.Stats(l.route.id(l.route.partition(place)))
		if err != nil {
			return 0
		}
		messages += figures.RetainedMessages
		bytes += figures.RetainedBytes
	}
	return float64(bytes) / float64(max(messages, 1))
}

// revoke tells a session what it lost, in pieces of at most MaxRanges.
func (l *loop) revoke(s *Session, e *delivery.Revoked) {
	for ranges := e.Ranges; len(ranges) > 0; {
		n := min(len(ranges), MaxRanges)
		s.out.revoke(Revoked{Ranges: append([]SequenceRange(nil), ranges[:n]...), Reason: e.Reason})
		ranges = ranges[n:]
	}
}

// load asks the tail for segments, and the fetcher when they are not there.
func (l *loop) load(e *delivery.Load) {
	at, head := storage.Offset(e.Offset), l.known[l.route.place(e.Partition)]
	partition := l.route.id(e.Partition)
	var segments []*storage.Segment
	for bytes := uint64(0); at < head && (len(segments) == 0 || bytes < e.Bytes); {
		segment := l.store.Tail(partition, at)
		if segment == nil {
			break
		}
		segments = append(segments, segment)
		bytes += uint64(len(segment.Bytes))
		at = segment.End()
	}
	if len(segments) > 0 {
		l.loaded(e.Partition, segments)
		return
	}
	l.fetcher.ask(fetch{partition: e.Partition, at: at, head: head, bytes: e.Bytes})
}

// sessionEnds says how a session that was served ends, by the reason.
var sessionEnds = map[delivery.EndReason]error{
	delivery.EndClosed:         io.EOF,
	delivery.EndShutdown:       io.EOF,
	delivery.EndTakenOver:      ErrTakenOver,
	delivery.EndSilent:         ErrSessionSilent,
	delivery.EndSettleGap:      ErrSettleNumberGap,
	delivery.EndWrongCredit:    ErrFrameOrder,
	delivery.EndFailuresUnread: ErrResultsUnread,
	delivery.EndSuperseded:     ErrSuperseded,
	delivery.EndMoved:          io.EOF,
}

// attachRefusals says why an Attach was refused, by the reason.
var attachRefusals = map[delivery.EndReason]error{
	delivery.EndShutdown:  ErrDraining,
	delivery.EndRefused:   ErrExclusiveSessionExists,
	delivery.EndBadAttach: &FieldError{Field: "lease", Limit: "1 s to 12 h"},
	// It ended while this was on its way: who tries again gets a new one.
	delivery.EndNotResumed: ErrSessionSilent,
	delivery.EndNeedsManual: &FieldError{
		Field: "replenish", Limit: "REPLENISH_MANUAL for a subscription that delivers at most once",
	},
}

// endSession ends a session after what is queued for it, or refuses it.
func (l *loop) endSession(e *delivery.EndSession) {
	defer l.expel(e.Session)
	if !e.Served {
		if s := l.arrived(e.Session, e.Incarnation); s != nil {
			l.forget(s)
			s.admitted <- attachRefusals[e.Reason]
		}
		return
	}
	s := l.sessions[e.Session]
	if s == nil || s.owned.incarnation != e.Incarnation {
		return
	}
	l.forget(s)
	switch err := sessionEnds[e.Reason]; {
	case e.Reason == delivery.EndSuperseded && s.owned.sentAway:
		s.out.fail(io.EOF) // it was told to
	case e.Reason == delivery.EndSuperseded:
		// What is queued is among what the other stream gets again.
		s.out.fail(err)
	case err != nil:
		s.out.end(err)
	default:
		l.brokenf("a session ended with reason %d", e.Reason)
	}
}

package delivery_test

import (
	"fmt"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/server/broker/delivery/model"
)

// The model's words for what the state machine says in numbers.
var (
	endReasons = map[delivery.EndReason]string{
		delivery.EndClosed: "closed", delivery.EndShutdown: "shutdown", delivery.EndRefused: "refused",
		delivery.EndTakenOver: "taken over", delivery.EndSilent: "silent", delivery.EndSettleGap: "settle gap",
		delivery.EndWrongCredit: "wrong credit", delivery.EndAttachedTwice: "attached twice",
		delivery.EndNeedsManual: "needs manual", delivery.EndMoved: "moved",
		delivery.EndSuperseded: "superseded", delivery.EndNotResumed: "not resumed",
	}
	revokeReasons = map[delivery.RevokeReason]string{
		delivery.KeyOrder:     "key order",
		delivery.LeaseExpired: "lease expired", delivery.QueueLeaseEnded: "queue lease ended", delivery.TakenOver: "taken over", delivery.DrainEnded: "drain ended",
		delivery.Sought: "sought",
	}
	deadReasons = map[delivery.DeadReason]string{
		delivery.DeadByAttempts: "attempts", delivery.DeadByDeliveries: "deliveries", delivery.DeadByReject: "rejected",
		delivery.DeadByBacklog: "backlog",
	}
	failureReasons = map[delivery.FailureReason]string{
		delivery.Unknown: "unknown", delivery.Stale: "stale", delivery.NotServed: "not served",
		delivery.LeaseCapped: "capped",
	}
)

// perform does what an owner loop does with an effect, and has the model judge it.
func (s *sim) perform(effect delivery.Effect) error {
	switch e := effect.(type) {
	case *delivery.Deliver:
		return s.deliver(e)
	case *delivery.SettleResult:
		return s.settleResult(e)
	case *delivery.Flow:
		return s.flow(e)
	case *delivery.Revoked:
		return s.revoked(e)
	case *delivery.ChangeSet:
		s.store.open = e
		return s.changed(e)
	case *delivery.Load:
		if s.one(3) {
			s.answerLoad(*e)
			return nil
		}
		s.store.loads = append(s.store.loads, *e)
	case *delivery.Unload:
		delete(s.store.partitions[e.Partition].resident, e.Base)
	case *delivery.Attached:
		return s.attached(e)
	case *delivery.Recall:
		return s.recall(e)
	case *delivery.GoAway:
		return s.model.WentAway(uint64(e.Session))
	case *delivery.Drained:
		return s.model.Drained(uint64(e.Session))
	case *delivery.EndSession:
		return s.ended(e)
	default:
		return fmt.Errorf("not known")
	}
	return nil
}

// changed has the model judge a change set; its dead letters must be at hand.
func (s *sim) changed(e *delivery.ChangeSet) error {
	if err := s.store.ofGeneration(e); err != nil {
		return err
	}
	var dead []model.DeadLetter
	for i := range e.DeadLetters {
		d := &e.DeadLetters[i]
		if err := s.store.atHand(d); err != nil {
			return err
		}
		out := model.DeadLetter{
			Partition: d.Partition, Offset: d.Offset, Reason: deadReasons[d.Reason],
			Failed: d.Failed, Expired: d.Expired, Lost: d.Lost, LastCode: d.Last.Code,
		}
		for _, f := range d.Failures {
			out.Codes = append(out.Codes, f.Code)
		}
		dead = append(dead, out)
	}
	if err := s.model.Changed(e.Number, modelChanges(e, s.config.Order), dead); err != nil {
		return err
	}
	return s.model.ChangedSessions(modelSessions(e.Sessions))
}

func (s *sim) deliver(e *delivery.Deliver) error {
	d, err := s.modelDelivery(e)
	if err != nil {
		return err
	}
	if c := s.client(e.Session); c != nil {
		c.received(e)
	}
	if s.config.Guarantee != delivery.AtLeastOnce {
		return s.model.Sent(d)
	}
	return s.model.Delivered(d)
}

// modelDelivery is a frame in the model's words; its messages must be at hand.
func (s *sim) modelDelivery(e *delivery.Deliver) (*model.Delivery, error) {
	d := &model.Delivery{
		Session: uint64(e.Session), FirstSequence: e.FirstSequence, ChargedBytes: e.ChargedBytes, Bytes: e.Bytes,
		Runs: len(e.Runs), AttemptRuns: len(e.Attempts),
	}
	for _, r := range e.Runs {
		if err := s.store.partitions[r.Partition].loadedRun(r); err != nil {
			return nil, err
		}
		for i := range uint64(r.Count) {
			d.Messages = append(d.Messages, model.Delivered{Partition: r.Partition, Offset: r.First + i, Attempt: 1})
		}
	}
	for _, a := range e.Attempts {
		for i := a.Index; i < a.Index+a.Count; i++ {
			d.Messages[i].Attempt = a.Attempt
		}
	}
	if len(d.Messages) != int(e.Messages) {
		return nil, fmt.Errorf("%d messages in runs, %d in all", len(d.Messages), e.Messages)
	}
	return d, nil
}

func (s *sim) settleResult(e *delivery.SettleResult) error {
	var failures []model.ResultFailure
	for _, f := range e.Failures {
		failures = append(failures, model.ResultFailure{
			Number: f.Number, First: f.Range.First, Last: f.Range.Last, Reason: failureReasons[f.Reason],
		})
	}
	if c := s.client(e.Session); c != nil {
		c.confirmed(e.ConfirmedThrough)
	}
	return s.model.Confirmed(uint64(e.Session), e.ConfirmedThrough, failures)
}

func (s *sim) revoked(e *delivery.Revoked) error {
	for _, r := range e.Ranges {
		if err := s.model.Revoked(uint64(e.Session), r.First, r.Last, revokeReasons[e.Reason]); err != nil {
			return err
		}
	}
	return nil
}

// recall has a client give back what it is asked for, mostly.
func (s *sim) recall(e *delivery.Recall) error {
	for _, r := range e.Ranges {
		if err := s.model.Recalled(uint64(e.Session), r.First, r.Last); err != nil {
			return err
		}
	}
	if c := s.client(e.Session); c != nil && !s.one(4) {
		c.asked = append(c.asked, e.Ranges...)
	}
	return nil
}

func (s *sim) flow(e *delivery.Flow) error {
	return s.model.Flowed(model.Flow{
		Session: uint64(e.Session), Backlog: e.Backlog,
		Credit: model.Limit(e.Credit), Outstanding: model.Limit(e.Outstanding),
		NoMessages:   e.Blocked&delivery.NoMessages != 0,
		WriteStalled: e.Blocked&delivery.WriteStalled != 0,
		RateLimited:  e.Blocked&delivery.RateLimited != 0,
	})
}

func modelChanges(set *delivery.ChangeSet, order delivery.Order) (all []model.PartitionChange) {
	for i := range set.Partitions {
		from := &set.Partitions[i]
		to := model.PartitionChange{Partition: from.Partition, Floor: from.Floor}
		for j := range from.Chunks {
			chunk := &from.Chunks[j]
			out := model.Chunk{Index: chunk.Index, Acked: func(offset uint64) bool {
				return chunk.Acked.Has(int(offset % delivery.ChunkOffsets))
			}}
			for _, c := range chunk.Counts {
				out.Counts = append(out.Counts, model.Count{
					Offset: c.Offset, Failed: c.Failed, Expired: c.Expired, Lost: c.Lost, NotBefore: c.NotBefore,
					Charged: c.Charged, Dead: deadReasons[c.Dead],
				})
			}
			to.Chunks = append(to.Chunks, out)
		}
		for _, r := range from.Dropped {
			to.Dropped = append(to.Dropped, model.Range(r))
		}
		for _, k := range from.Keys {
			key := int(k.Hash)
			if order == delivery.OrderPartition {
				key = 1
			}
			to.Keys = append(to.Keys, model.KeyChange{Key: key, Parked: k.Parked})
		}
		all = append(all, to)
	}
	return all
}

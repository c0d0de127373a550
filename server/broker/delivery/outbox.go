package delivery

// outbox collects the effects of a turn in memory that the turn after next uses
// again.
type outbox struct {
	effects       []Effect
	attachedOnes  []*Attached
	delivers      []*Deliver
	settleResults []*SettleResult
	flows         []*Flow
	revokes       []*Revoked
	recalls       []*Recall
	goAways       []*GoAway
	drains        []*Drained
	ends          []*EndSession
	loads         []*Load
	unloads       []*Unload
}

// take returns the next unused item of a list, as it was left.
func take[T any](list *[]*T) *T {
	l := *list
	if len(l) < cap(l) {
		l = l[:len(l)+1]
		if l[len(l)-1] == nil {
			l[len(l)-1] = new(T)
		}
	} else {
		l = append(l, new(T))
	}
	*list = l
	return l[len(l)-1]
}

func (o *outbox) reset() {
	clear(o.effects)
	o.effects = o.effects[:0]
	o.attachedOnes = o.attachedOnes[:0]
	o.delivers = o.delivers[:0]
	o.settleResults = o.settleResults[:0]
	o.flows = o.flows[:0]
	o.revokes = o.revokes[:0]
	o.recalls = o.recalls[:0]
	o.goAways = o.goAways[:0]
	o.drains = o.drains[:0]
	o.ends = o.ends[:0]
	o.loads = o.loads[:0]
	o.unloads = o.unloads[:0]
}

func (o *outbox) attached() *Attached {
	e := take(&o.attachedOnes)
	o.effects = append(o.effects, e)
	return e
}

func (o *outbox) deliver() *Deliver {
	e := take(&o.delivers)
	*e = Deliver{Runs: e.Runs[:0], Attempts: e.Attempts[:0]}
	o.effects = append(o.effects, e)
	return e
}

func (o *outbox) settleResult() *SettleResult {
	e := take(&o.settleResults)
	*e = SettleResult{Failures: e.Failures[:0]}
	o.effects = append(o.effects, e)
	return e
}

func (o *outbox) flow() *Flow {
	e := take(&o.flows)
	o.effects = append(o.effects, e)
	return e
}

func (o *outbox) revoked() *Revoked {
	e := take(&o.revokes)
	*e = Revoked{Ranges: e.Ranges[:0]}
	o.effects = append(o.effects, e)
	return e
}

func (o *outbox) recall() *Recall {
	e := take(&o.recalls)
	*e = Recall{Ranges: e.Ranges[:0]}
	o.effects = append(o.effects, e)
	return e
}

func (o *outbox) goAway() *GoAway {
	e := take(&o.goAways)
	o.effects = append(o.effects, e)
	return e
}

func (o *outbox) drained() *Drained {
	e := take(&o.drains)
	o.effects = append(o.effects, e)
	return e
}

func (o *outbox) endSession() *EndSession {
	e := take(&o.ends)
	*e = EndSession{}
	o.effects = append(o.effects, e)
	return e
}

func (s *State) emitLoad(p *partition, offset, bytes uint64) {
	s.tellUnloads() // else it may be for what is still at hand, which is not given twice
	e := take(&s.out.loads)
	*e = Load{Partition: p.id, Offset: offset, Bytes: bytes}
	s.out.effects = append(s.out.effects, e)
}

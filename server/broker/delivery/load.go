package delivery

// Bounds on what is loaded.
const (
	// maxAheadSegments bounds the segments of a partition that reach beyond next,
	// whatever their size.
	maxAheadSegments = 1024
	// maxWantedSegments bounds the segments held for redeliveries alone.
	maxWantedSegments = 32
	// denseMessages is how many redeliveries must wait for a load before more than
	// one segment is asked for at once; denseLoadBytes is how much then.
	denseMessages  = 64
	denseLoadBytes = 256 << 10
)

// load takes segments that the caller has at hand now.
func (s *State) load(e *Loaded) {
	p := s.partitions[e.Partition]
	if p == nil {
		return
	}
	for i := range e.Segments {
		in := &e.Segments[i]
		g := &segment{p: p, base: in.Base, start: in.Start, ends: in.Ends, time: in.Time}
		if in.KeyHashes != nil && p.order == OrderKey {
			keys := in.KeyHashes
			g.keys = &keys
		}
		s.loadOne(g)
	}
	s.moved(p)
}

func (s *State) loadOne(g *segment) {
	p := g.p
	wanted := s.wants(g)
	p.answered(g.base, g.end())
	if have := p.at(g.base); have != nil && have.base == g.base {
		return // given twice counts once
	}
	if !wanted || !p.insert(g) {
		s.unloaded(p, g.base)
		return
	}
	s.attended = true
	s.wantedSegments++
	s.wantedSegments -= p.reach()
	s.pinLetters(g)
	s.arrived(g)
	s.letGo(g)
}

// wants says whether a segment is of use: a redelivery waits for it, or it
// continues what is loaded ahead, within the bounds unless it was asked for.
func (s *State) wants(g *segment) bool {
	p := g.p
	switch {
	case len(g.ends) == 0:
		return false
	case s.lettersAwait(g):
		return true
	case len(s.sessions) == 0:
		return false
	}
	if p.absent.len() > 0 && g.holds(p.absent.top().first) {
		return true
	}
	if !g.holds(p.aheadEnd) {
		return p.isAsked && g.holds(p.asked)
	}
	return p.isLoading || p.aheadBytes < s.config.LoadBytes && p.aheadCount < maxAheadSegments
}

// answered clears the loads whose offset lies in base..end-1.
func (p *partition) answered(base, end uint64) {
	p.isLoading = p.isLoading && (p.loading < base || p.loading >= end)
	p.isAsked = p.isAsked && (p.asked < base || p.asked >= end)
}

func (g *segment) holds(offset uint64) bool { return g.base <= offset && offset < g.end() }

// reach moves aheadEnd over what is loaded and over what needs no load, and
// returns how many segments that had been there for redeliveries are ahead now.
func (p *partition) reach() (adopted int) {
	p.aheadEnd = max(p.aheadEnd, p.next)
	for {
		if r, ok := p.skip.find(p.aheadEnd); ok {
			p.aheadEnd = r.Last + 1
			continue
		}
		g := p.at(p.aheadEnd)
		if g == nil {
			return adopted
		}
		p.aheadEnd = g.end()
		if !g.ahead {
			adopted++
			g.ahead = true
			p.aheadBytes += g.bytes(g.base, uint64(len(g.ends)))
			p.aheadCount++
			p.times.note(g.base, g.end(), g.time)
		}
	}
}

// moved brings everything in line after next, head or the loaded segments of a
// partition changed.
func (s *State) moved(p *partition) {
	if p.front == nil || !p.front.holds(p.next) {
		s.passed(p)
	}
	if p.fresh() > 0 && p.front != nil && p != s.redriven {
		s.openPartition(p)
	} else {
		s.closePartition(p)
	}
	if !p.queuedLoad && (p.aheadEnd < p.head || p.isLoading || p.isAsked) {
		p.queuedLoad = true
		s.toLoad = append(s.toLoad, p)
	}
}

// passed lets go of the segments that next has left behind.
func (s *State) passed(p *partition) {
	for i := 0; i < len(p.loaded) && p.loaded[i].base < p.next; {
		g := p.loaded[i]
		if !g.ahead || g.end() > p.next {
			i++
			continue
		}
		g.ahead = false
		p.aheadBytes -= g.bytes(g.base, uint64(len(g.ends)))
		p.aheadCount--
		s.wantedSegments++
		if !s.letGo(g) {
			i++
		}
	}
	s.wantedSegments -= p.reach()
	p.front = p.at(p.next)
}

// letGo unloads a segment that nobody needs, and says whether it did.
func (s *State) letGo(g *segment) bool {
	if g.ahead || g.wanted > 0 {
		return false
	}
	g.p.drop(g)
	s.wantedSegments--
	s.unloaded(g.p, g.base)
	return true
}

// requestLoads asks for what dispatch will need soon.
func (s *State) requestLoads() {
	if len(s.sessions) == 0 {
		s.unloadAll()
		s.requestLetters()
		return
	}
	s.attended = true
	s.requestLetters()
	for _, p := range s.toLoad {
		p.queuedLoad = false
		s.requestAhead(p)
	}
	s.toLoad = s.toLoad[:0]
	s.requestMisfits()
	for _, p := range s.order {
		if s.pool.absent == 0 || s.wantedSegments >= maxWantedSegments {
			return
		}
		s.requestAbsent(p)
	}
}

// requestAhead asks for the next messages of a partition when what is loaded has
// shrunk to half of its bound.
func (s *State) requestAhead(p *partition) {
	p.isLoading = p.isLoading && p.loading >= p.aheadEnd
	if p.isLoading || p.aheadEnd >= p.head || p.fresh() == 0 {
		return
	}
	if p.aheadBytes > s.config.LoadBytes/2 || p.aheadCount > maxAheadSegments/2 {
		return
	}
	p.isLoading, p.loading = true, p.aheadEnd
	s.emitLoad(p, p.loading, s.config.LoadBytes-p.aheadBytes)
}

// requestAbsent asks for the segment of the first redelivery that lacks one.
func (s *State) requestAbsent(p *partition) {
	for !p.isAsked && p.absent.len() > 0 {
		e := p.absent.top()
		if p.settled(e.first) || p.at(e.first) != nil {
			s.reroute(e)
			s.more = true // it was behind one that had to be loaded
			continue
		}
		var bytes uint64
		if p.absentMessages > denseMessages {
			bytes = denseLoadBytes
		}
		s.askFor(p, e.first, bytes)
	}
}

// askFor asks for the segment of a message that is not at hand, unless another one of
// the partition is on its way.
func (s *State) askFor(p *partition, offset, bytes uint64) {
	if !p.isAsked {
		p.isAsked, p.asked = true, offset
		s.emitLoad(p, offset, bytes)
	}
}

// unloadAll gives everything back while there is no session, but for what dead letters
// need.
func (s *State) unloadAll() {
	if !s.attended {
		return
	}
	s.attended = false
	for s.pool.ready.len() > 0 {
		s.toAbsent(s.pool.ready.top())
	}
	for _, m := range s.misfits.aside {
		s.unpinMisfit(m)
	}
	s.wantedSegments = 0
	for _, p := range s.order {
		kept := p.loaded[:0]
		for _, g := range p.loaded {
			if g.pinned > 0 {
				g.ahead = false
				kept = append(kept, g)
				s.wantedSegments++
				continue
			}
			s.unloaded(p, g.base)
		}
		clear(p.loaded[len(kept):])
		p.loaded, p.front = kept, nil
		p.aheadEnd, p.aheadBytes, p.aheadCount = p.next, 0, 0
		p.isLoading, p.isAsked = false, false
		s.closePartition(p)
	}
}

// unloaded notes that a segment is not needed; it is told at the end of the turn,
// unless it was given again meanwhile.
func (s *State) unloaded(p *partition, base uint64) {
	s.unloads = append(s.unloads, unloadedSegment{p, base})
}

type unloadedSegment struct {
	p    *partition
	base uint64
}

// tellUnloads tells what is not needed any more. Deliveries of this turn may still
// name it, so this comes after them; a Load of this turn may be answered at once
// with the same segment, so this comes before it.
func (s *State) tellUnloads() {
	for _, u := range s.unloads {
		if g := u.p.at(u.base); g != nil && g.base == u.base {
			continue
		}
		e := take(&s.out.unloads)
		*e = Unload{Partition: u.p.id, Base: u.base}
		s.out.effects = append(s.out.effects, e)
	}
	s.unloads = s.unloads[:0]
}

package delivery

import (
	"math"
	"math/bits"
	"sort"
)

// blockMessages is how many deliveries share a block: one bit of a word each.
const blockMessages = 64

// block is up to blockMessages consecutive sequences of one session, delivered at
// the same time:
//
//	sequence   first   first+1   …            first+n-1
//	live         1        1      0   0   1        1       1 = outstanding
//	runs       [ partition 3, 700..701 ][ partition 0, 41..44 ]
type block struct {
	x     *session
	first uint64
	n     uint8
	live  uint64
	runs  []run
	// started has the deliveries that are worked on: all, when the client does not
	// tell.
	started uint64
	// recalled has those that were asked back.
	recalled uint64
	// sent is when it was delivered; began and ends are when the work leases of what
	// is started began and end, as long as they do so together. All are on the lease
	// clock.
	sent, began, ends Instant
	// clocks has them one by one when they do not.
	clocks *clocks
	// page is where an exactly-once session's block is written down.
	page *page
	// due is when the first live lease ends, at the earliest.
	due   Instant
	timer int // place in State.leases
}

// clocks are the work leases of a block.
type clocks struct{ began, ends [blockMessages]Instant }

// run is a part of a block whose offsets follow each other within one segment.
type run struct {
	seg   *segment
	first uint64 // offset
	at    uint8  // bit of the first message
	n     uint8
}

// outstanding is what a session holds: its blocks in order of sequence. Blocks
// with nothing live stay until they are at the front or outnumber the others.
type outstanding struct {
	blocks []*block
	dead   int
	// store is the memory that blocks is a part of.
	store []*block
}

// push adds a block behind the others, moving them to the front of the store when
// that makes room.
func (o *outstanding) push(b *block) {
	if len(o.blocks) == cap(o.blocks) && 2*len(o.blocks) <= cap(o.store) {
		o.blocks = append(o.store[:0], o.blocks...)
	}
	full := len(o.blocks) == cap(o.blocks)
	o.blocks = append(o.blocks, b)
	if full {
		o.store = o.blocks[:0]
	}
}

func (b *block) last() uint64 { return b.first + uint64(b.n) - 1 }

// mask has the bits of the sequences first..last, which overlap the block.
func (b *block) mask(first, last uint64) uint64 {
	from, to := max(first, b.first)-b.first, min(last, b.last())-b.first
	return bitsOf(uint8(from), uint8(to+1))
}

// bitsOf has the bits from..to-1, from < to.
func bitsOf(from, to uint8) uint64 {
	return ^uint64(0) >> (blockMessages - (to - from)) << from
}

// firstRun returns the first run of set bits as from..to-1; mask is not 0.
func firstRun(mask uint64) (from, to uint8) {
	from = uint8(bits.TrailingZeros64(mask))
	return from, from + uint8(bits.TrailingZeros64(^(mask >> from)))
}

// find returns the index of the first block that ends at or after a sequence.
func (o *outstanding) find(sequence uint64) int {
	if len(o.blocks) == 0 || o.blocks[0].last() >= sequence {
		return 0
	}
	return sort.Search(len(o.blocks), func(i int) bool { return o.blocks[i].last() >= sequence })
}

// record notes the delivery of n messages of a segment under the session's next
// sequences. All deliveries of one frame have the same time.
func (s *State) record(x *session, g *segment, first, n uint64, open *block) *block {
	sequence := x.sent + 1
	if x.answersRecall {
		x.unstarted += n
		s.recalls.unstarted += n
	}
	for n > 0 {
		if open == nil || open.n == blockMessages {
			open = s.newBlock(x, sequence)
			x.push(open)
		}
		k := min(n, uint64(blockMessages-open.n))
		open.add(g, first, uint8(k))
		first, n, sequence = first+k, n-k, sequence+k
	}
	return open
}

func (b *block) add(g *segment, first uint64, n uint8) {
	b.live |= bitsOf(b.n, b.n+n)
	if i := len(b.runs) - 1; i >= 0 && b.runs[i].continuedBy(g, first) {
		b.runs[i].n += n
	} else {
		b.runs = append(b.runs, run{seg: g, first: first, at: b.n, n: n})
	}
	b.n += n
}

func (r *run) continuedBy(g *segment, first uint64) bool {
	return r.seg == g && r.first+uint64(r.n) == first
}

func (s *State) newBlock(x *session, first uint64) *block {
	var b *block
	if n := len(s.spareBlocks); n > 0 {
		b = s.spareBlocks[n-1]
		s.spareBlocks = s.spareBlocks[:n-1]
	} else {
		b = &block{}
	}
	now := s.leaseClock(s.now)
	*b = block{x: x, first: first, runs: b.runs[:0], sent: now, began: now, ends: now + x.lease}
	if x.tellsStarted {
		b.due = s.queueEnd(b)
	} else {
		b.started, b.due = math.MaxUint64, b.ends
	}
	if s.exact {
		s.openPage(b)
		b.due = never // until it is sent
	}
	s.leases.put(b)
	return b
}

// maxSpareBlocks bounds the blocks kept for reuse.
const maxSpareBlocks = 4096

func (s *State) freeBlock(b *block) {
	clear(b.runs)
	b.x = nil
	s.freeClocks(b)
	if len(s.spareBlocks) < maxSpareBlocks {
		s.spareBlocks = append(s.spareBlocks, b)
	}
}

// tidy drops blocks with nothing live from the front, and from everywhere when
// they are more than half.
func (s *State) tidy(x *session) {
	n := 0
	for n < len(x.blocks) && x.blocks[n].live == 0 {
		s.freeBlock(x.blocks[n])
		n++
	}
	x.dead -= n
	x.blocks = x.blocks[n:]
	if x.dead*2 <= len(x.blocks) {
		return
	}
	kept := x.blocks[:0]
	for _, b := range x.blocks {
		if b.live == 0 {
			s.freeBlock(b)
			continue
		}
		kept = append(kept, b)
	}
	x.blocks, x.dead = kept, 0
}

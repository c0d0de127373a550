package shardlog

import (
	"sync"
	"sync/atomic"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/tailring"
)

// chunkClassesBytes are the sizes of buffers that are pooled, so that a small
// commit does not pin a large buffer in a tail ring. The last two hold a full
// chunk of larger and of tiny messages.
var chunkClassesBytes = [...]int{1 << 10, 4 << 10, 16 << 10, 48 << 10, 96 << 10, 140 << 10, 208 << 10}

// What a chunk takes besides its builder: for itself, and for each of its runs.
const (
	chunkOverheadBytes = 512
	chunkRunBytes      = 192
)

// maxIdleChunkBytes bounds the buffers that wait for their next use.
const maxIdleChunkBytes = 16 << 20

// chunk is one commit segment being built, committed, and then shared by the tail
// rings: the bodies are copied into it once. It goes back to its pool when the last
// of its segments is released.
type chunk struct {
	record.SegmentBuilder
	block tailring.Block
	// partitions says whose each run is.
	partitions []*partition
	segments   []storage.Segment

	pool  *chunkPool
	class int
	// live counts the segments that somebody holds.
	live    atomic.Int32
	release func(*storage.Segment)
}

// add copies as much of a as fits and gives the number of messages.
func (c *chunk) add(p *partition, a *storage.Append, from int) int {
	taken := c.Add(a, from, p.next.LogTime)
	if len(c.partitions) < len(c.Runs()) {
		c.partitions = append(c.partitions, p)
	}
	return taken
}

// share makes the runs segments of a block that the tail rings can admit. Only
// after Finish.
func (c *chunk) share() *tailring.Block {
	n := len(c.Runs())
	if cap(c.segments) < n {
		c.segments = make([]storage.Segment, n)
	}
	c.segments = c.segments[:n]
	c.live.Store(int32(n))
	for i := range c.segments {
		s := &c.segments[i]
		c.View(i, s)
		c.block.Segments = append(c.block.Segments, s.Share(c.release))
		c.block.Rings = append(c.block.Rings, &c.partitions[i].ring)
	}
	c.block.Bytes = c.memoryBytes()
	return &c.block
}

// discard gives the chunk back without having shared it.
func (c *chunk) discard() { c.pool.put(c) }

func (c *chunk) segmentReleased(*storage.Segment) {
	if c.live.Add(-1) == 0 {
		c.pool.put(c)
	}
}

// memoryBytes is the size of all memory that the chunk holds.
func (c *chunk) memoryBytes() int {
	return c.MemoryBytes() + chunkOverheadBytes + chunkRunBytes*cap(c.segments)
}

func (c *chunk) reset() {
	c.Reset()
	clear(c.partitions)
	clear(c.block.Segments)
	clear(c.block.Rings)
	c.partitions = c.partitions[:0]
	c.block.Segments, c.block.Rings = c.block.Segments[:0], c.block.Rings[:0]
}

// chunkPool keeps chunks for reuse: fresh memory costs more than what is done with
// it. Anyone may put, the committer gets.
type chunkPool struct {
	mu        sync.Mutex
	idle      [len(chunkClassesBytes)][]*chunk
	idleBytes int
}

// get gives an empty chunk with a buffer of at least size bytes.
func (p *chunkPool) get(size int) *chunk {
	class := classOf(size)
	if c := p.takeIdle(class); c != nil {
		return c
	}
	c := &chunk{pool: p, class: class}
	c.release = c.segmentReleased
	if class < len(chunkClassesBytes) {
		size = chunkClassesBytes[class]
	}
	c.Reserve(size)
	return c
}

func (p *chunkPool) takeIdle(class int) *chunk {
	if class == len(chunkClassesBytes) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	idle := p.idle[class]
	if len(idle) == 0 {
		return nil
	}
	c := idle[len(idle)-1]
	idle[len(idle)-1] = nil
	p.idle[class] = idle[:len(idle)-1]
	p.idleBytes -= c.memoryBytes()
	return c
}

// put takes a chunk back that nobody uses any more.
func (p *chunkPool) put(c *chunk) {
	if c.class == len(chunkClassesBytes) {
		return
	}
	c.reset()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idleBytes+c.memoryBytes() > maxIdleChunkBytes {
		return
	}
	p.idle[c.class] = append(p.idle[c.class], c)
	p.idleBytes += c.memoryBytes()
}

// classOf is the index of the smallest class that holds size bytes; their number
// when none does.
func classOf(size int) int {
	for i, bytes := range chunkClassesBytes {
		if size <= bytes {
			return i
		}
	}
	return len(chunkClassesBytes)
}

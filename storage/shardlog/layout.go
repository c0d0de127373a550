package shardlog

import (
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// layout copies the messages gathered in a batch into chunks, partition by
// partition, so that each chunk has one run a partition at most.
type layout struct {
	b    *batch
	pool *chunkPool
	// full: the last chunk takes no more.
	full bool
	// What is still to be copied.
	runs, messages, bytes int
}

// layOut makes the chunks of a batch.
func layOut(b *batch, pool *chunkPool) {
	l := layout{b: b, pool: pool, runs: len(b.runs), messages: b.messages, bytes: b.used.bodies}
	for i := range b.runs {
		r := &b.runs[i]
		for _, a := range r.appends {
			l.copy(r.partition, a)
		}
		l.runs--
	}
}

// copy puts an append into the last chunk, and into new ones as it fills.
func (l *layout) copy(p *partition, a *storage.Append) {
	for from := 0; from < len(a.Ends); {
		c := l.chunk(a, from)
		before := c.Bytes()
		taken := c.add(p, a, from)
		l.messages -= taken
		l.bytes -= c.Bytes() - before
		from += taken
		l.full = from < len(a.Ends)
	}
}

// chunk is the chunk to copy into, a new one when the last is full.
func (l *layout) chunk(a *storage.Append, from int) *chunk {
	if n := len(l.b.chunks); n > 0 && !l.full {
		return l.b.chunks[n-1]
	}
	l.full = false
	c := l.pool.get(l.size(messageBytes(a, from)))
	l.b.chunks = append(l.b.chunks, c)
	return c
}

// size guesses what the value of the next chunk, which begins with a message of
// first bytes, will have. A guess that is too low costs a copy, one that is too
// high costs memory.
func (l *layout) size(first int) int {
	bodies := max(min(l.bytes, record.SegmentBytes), first)
	messages := min(l.share(l.messages, bodies), record.MaxSegmentMessages)
	return record.MaxSegmentBytes(bodies, l.share(l.runs, bodies), messages)
}

// share is how many of n things that are still to come fall on bodies bytes, and
// some more.
func (l *layout) share(n, bodies int) int {
	if l.bytes == 0 {
		return n
	}
	return min(n, n*bodies/l.bytes*5/4+8)
}

// messageBytes is the size of the message i of an append.
func messageBytes(a *storage.Append, i int) int {
	if i == 0 {
		return int(a.Ends[0])
	}
	return int(a.Ends[i] - a.Ends[i-1])
}

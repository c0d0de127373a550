package wire

import (
	"math/bits"
	"sync"

	"google.golang.org/grpc/mem"
)

// The pooled sizes, as powers of two. Smaller buffers are rounded up, to a size
// that gRPC counts references on; larger ones are left to the garbage collector.
const (
	minPooledBits = 11
	maxPooledBits = 24
)

// Pool lends buffers in powers of two from 2 KiB to 16 MiB. Unlike gRPC's own it
// has a tier for each power, and does not clear what it lends: who borrows a
// buffer overwrites all of it.
type Pool struct {
	tiers  [maxPooledBits + 1]sync.Pool
	poison bool
}

var _ mem.BufferPool = (*Pool)(nil)

// NewPool makes a pool.
func NewPool() *Pool { return &Pool{} }

// NewPoisonedPool makes a pool that overwrites what comes back, so that a test
// sees when a buffer was given back too early.
func NewPoisonedPool() *Pool { return &Pool{poison: true} }

// poisonByte fills buffers that were given back. No frame begins with it: it
// would be a field of the wire type 7.
const poisonByte = 0xDF

// Get lends a buffer of a length, with arbitrary content.
func (p *Pool) Get(length int) *[]byte {
	tier := tierOf(length)
	if tier > maxPooledBits {
		b := make([]byte, length)
		return &b
	}
	if b, ok := p.tiers[tier].Get().(*[]byte); ok {
		*b = (*b)[:length]
		return b
	}
	b := make([]byte, length, 1<<tier)
	return &b
}

// Put takes a buffer back. Only buffers whose capacity is that of a tier are
// kept.
func (p *Pool) Put(b *[]byte) {
	*b = (*b)[:cap(*b)]
	if p.poison {
		for i := range *b {
			(*b)[i] = poisonByte
		}
	}
	tier := tierOf(cap(*b))
	if tier <= maxPooledBits && cap(*b) == 1<<tier {
		p.tiers[tier].Put(b)
	}
}

// tierOf is the power of two that holds n bytes.
func tierOf(n int) int { return max(minPooledBits, bits.Len(uint(max(n-1, 0)))) }

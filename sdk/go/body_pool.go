package headrace

import (
	"sync"

	"google.golang.org/grpc/mem"
)

// minBodyBytes is what the body of a batch begins with when little is expected.
const minBodyBytes = 2 << 10

// bodyPool recycles the bodies of full batches. A body begins as large as its
// topic's batch before: a topic with little traffic does not hold a full one, and
// small bodies are left to the garbage collector.
type bodyPool struct {
	fullBytes int
	full      sync.Pool // of *[]byte with a capacity of fullBytes.
}

var _ mem.BufferPool = (*bodyPool)(nil)

func newBodyPool(fullBytes int) *bodyPool {
	p := &bodyPool{fullBytes: fullBytes}
	p.full.New = func() any {
		b := make([]byte, 0, fullBytes)
		return &b
	}
	return p
}

// body returns an empty body for about that many bytes.
func (p *bodyPool) body(expected int) []byte {
	if expected > p.fullBytes/4 && expected <= p.fullBytes {
		if b, ok := p.full.Get().(*[]byte); ok {
			return (*b)[:0]
		}
	}
	return make([]byte, 0, max(expected, minBodyBytes))
}

// Get returns a buffer of that length; gRPC does not call it.
func (p *bodyPool) Get(length int) *[]byte {
	b := make([]byte, length)
	return &b
}

// Put takes back a body when gRPC has written it.
func (p *bodyPool) Put(b *[]byte) {
	if cap(*b) == p.fullBytes {
		p.full.Put(b)
	}
}

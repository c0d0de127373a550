package delivery

import "encoding/binary"

// offsetQueue is an ascending first-in first-out queue of offsets, each kept as its
// distance from the one before in a varint: a byte or two for a busy key.
type offsetQueue struct {
	buf   []byte
	head  int // of buf: what is before it is popped
	n     int
	first uint64 // the front
	last  uint64 // the back
}

func (q *offsetQueue) len() int { return q.n }

// bytes is the memory that it takes.
func (q *offsetQueue) bytes() int { return cap(q.buf) }

// push adds an offset above all others.
func (q *offsetQueue) push(offset uint64) {
	if q.n == 0 {
		q.first = offset
	} else {
		if q.head > len(q.buf)/2 && len(q.buf) == cap(q.buf) {
			q.buf = q.buf[:copy(q.buf, q.buf[q.head:])]
			q.head = 0
		}
		q.buf = binary.AppendUvarint(q.buf, offset-q.last)
	}
	q.last = offset
	q.n++
}

// contains says whether an offset is in the queue. It walks it.
func (q *offsetQueue) contains(offset uint64) bool {
	copied := *q
	for copied.n > 0 {
		if copied.pop() == offset {
			return true
		}
	}
	return false
}

// pop takes the front, which must be there.
func (q *offsetQueue) pop() uint64 {
	offset := q.first
	q.n--
	if q.n == 0 {
		q.buf, q.head = nil, 0
		return offset
	}
	delta, size := binary.Uvarint(q.buf[q.head:])
	q.head += size
	q.first += delta
	return offset
}

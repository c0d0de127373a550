package broker

// fifo is a queue in a ring that grows. The zero value is empty.
type fifo[T any] struct {
	// ring has a power of two of places; the items are those from head to tail, both
	// counted from the beginning.
	ring       []T
	head, tail uint64
}

// firstFifoItems is how many items a fifo has room for before it grows.
const firstFifoItems = 8

func (f *fifo[T]) len() int { return int(f.tail - f.head) }

// push adds an item at the end.
func (f *fifo[T]) push(item T) {
	if f.len() == len(f.ring) {
		f.grow()
	}
	*f.at(f.tail) = item
	f.tail++
}

// front is the oldest item, back the newest one; there must be one.
func (f *fifo[T]) front() T { return *f.at(f.head) }

func (f *fifo[T]) back() T { return *f.at(f.tail - 1) }

// pop takes the oldest item off.
func (f *fifo[T]) pop() T {
	var none T
	item := f.front()
	*f.at(f.head) = none
	f.head++
	return item
}

// popBack takes the newest item off.
func (f *fifo[T]) popBack() {
	var none T
	f.tail--
	*f.at(f.tail) = none
}

func (f *fifo[T]) at(i uint64) *T { return &f.ring[i&uint64(len(f.ring)-1)] }

func (f *fifo[T]) grow() {
	old := *f
	f.ring = make([]T, max(firstFifoItems, 2*len(old.ring)))
	for i := old.head; i < old.tail; i++ {
		*f.at(i) = *old.at(i)
	}
}

package headrace

// fifo is a queue in a slice, for owners that bound it themselves. The zero
// value is empty.
type fifo[T any] struct {
	items []T
	head  int
}

func (f *fifo[T]) len() int { return len(f.items) - f.head }

func (f *fifo[T]) push(item T) {
	if f.head > len(f.items)/2 {
		n := copy(f.items, f.items[f.head:])
		clear(f.items[n:])
		f.items, f.head = f.items[:n], 0
	}
	f.items = append(f.items, item)
}

// front returns the oldest item; there must be one.
func (f *fifo[T]) front() T { return f.items[f.head] }

// setFront replaces the oldest item; there must be one.
func (f *fifo[T]) setFront(item T) { f.items[f.head] = item }

// pop removes and returns the oldest item; there must be one.
func (f *fifo[T]) pop() T {
	var none T
	item := f.items[f.head]
	f.items[f.head] = none
	f.head++
	if f.head == len(f.items) {
		f.items, f.head = f.items[:0], 0
	}
	return item
}

// all returns the items, the oldest first; the slice is the queue's own.
func (f *fifo[T]) all() []T { return f.items[f.head:] }

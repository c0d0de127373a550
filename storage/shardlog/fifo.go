package shardlog

// minFifoItems is the memory that a fifo keeps however little is in it.
const minFifoItems = 256

// fifo is a queue that reuses its memory, and gives it back after a burst. The zero
// value is ready.
type fifo[T any] struct {
	items []T
	first int
}

func (f *fifo[T]) empty() bool { return f.first == len(f.items) }

func (f *fifo[T]) len() int { return len(f.items) - f.first }

func (f *fifo[T]) front() T { return f.items[f.first] }

// all are the items, the first one first; the slice is the queue's own.
func (f *fifo[T]) all() []T { return f.items[f.first:] }

func (f *fifo[T]) push(x T) { f.items = append(f.items, x) }

// pop takes the first one off. The memory before it is used again once it is half
// of all.
func (f *fifo[T]) pop() T {
	x := f.items[f.first]
	var zero T
	f.items[f.first] = zero
	f.first++
	if f.first > len(f.items)/2 {
		f.compact()
	}
	return x
}

func (f *fifo[T]) compact() {
	live := f.items[f.first:]
	f.first = 0
	if cap(f.items) > minFifoItems && len(live) < cap(f.items)/8 {
		f.items = append(make([]T, 0, 2*len(live)), live...)
		return
	}
	n := copy(f.items, live)
	clear(f.items[n:])
	f.items = f.items[:n]
}

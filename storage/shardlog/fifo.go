package shardlog

// fifo is a queue that keeps its memory. The zero value is ready.
type fifo[T any] struct {
	items []T
	first int
}

func (f *fifo[T]) empty() bool { return f.first == len(f.items) }

func (f *fifo[T]) len() int { return len(f.items) - f.first }

func (f *fifo[T]) front() T { return f.items[f.first] }

func (f *fifo[T]) push(x T) { f.items = append(f.items, x) }

// pop takes the first one off. The memory before it is used again once it is half
// of all.
func (f *fifo[T]) pop() T {
	x := f.items[f.first]
	var zero T
	f.items[f.first] = zero
	f.first++
	if f.first > len(f.items)/2 {
		n := copy(f.items, f.items[f.first:])
		clear(f.items[n:])
		f.items, f.first = f.items[:n], 0
	}
	return x
}

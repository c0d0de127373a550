package delivery

// ring is a first-in first-out queue that reuses its memory.
type ring[T any] struct {
	items []T
	head  int
	n     int
}

func (r *ring[T]) len() int { return r.n }

// front is the oldest item; the ring must not be empty.
func (r *ring[T]) front() *T { return &r.items[r.head] }

// at is the item i places behind the front.
func (r *ring[T]) at(i int) *T { return &r.items[(r.head+i)%len(r.items)] }

func (r *ring[T]) push(item T) {
	if r.n == len(r.items) {
		r.grow()
	}
	r.items[(r.head+r.n)%len(r.items)] = item
	r.n++
}

func (r *ring[T]) pop() {
	var zero T
	r.items[r.head] = zero
	r.head = (r.head + 1) % len(r.items)
	r.n--
}

func (r *ring[T]) grow() {
	items := make([]T, max(16, 2*len(r.items)))
	for i := range r.n {
		items[i] = r.items[(r.head+i)%len(r.items)]
	}
	r.items, r.head = items, 0
}

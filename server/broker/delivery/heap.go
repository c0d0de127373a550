package delivery

// heap is a binary heap whose items know their own place in it, so that any
// item can be moved or removed. Places count from 1; 0 means not in the heap.
type heap[T any] struct {
	items []T
	less  func(a, b T) bool
	place func(T) *int
}

func (h *heap[T]) len() int { return len(h.items) }

// top is the least item; the heap must not be empty.
func (h *heap[T]) top() T { return h.items[0] }

// put adds the item, or moves it to where its changed key belongs.
func (h *heap[T]) put(item T) {
	at := h.place(item)
	if *at == 0 {
		h.items = append(h.items, item)
		*at = len(h.items)
	}
	h.down(h.up(*at - 1))
}

// remove takes the item out, if it is in.
func (h *heap[T]) remove(item T) {
	at := h.place(item)
	if *at == 0 {
		return
	}
	hole, end := *at-1, len(h.items)-1
	*at = 0
	last := h.items[end]
	var zero T
	h.items[end] = zero
	h.items = h.items[:end]
	if hole == end {
		return
	}
	h.set(hole, last)
	h.down(h.up(hole))
}

func (h *heap[T]) pop() T {
	item := h.items[0]
	h.remove(item)
	return item
}

func (h *heap[T]) set(i int, item T) {
	h.items[i] = item
	*h.place(item) = i + 1
}

func (h *heap[T]) up(i int) int {
	item := h.items[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(item, h.items[parent]) {
			break
		}
		h.set(i, h.items[parent])
		i = parent
	}
	h.set(i, item)
	return i
}

func (h *heap[T]) down(i int) {
	item := h.items[i]
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			break
		}
		if child+1 < len(h.items) && h.less(h.items[child+1], h.items[child]) {
			child++
		}
		if !h.less(h.items[child], item) {
			break
		}
		h.set(i, h.items[child])
		i = child
	}
	h.set(i, item)
}

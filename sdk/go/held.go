package headrace

// heldDeliveries is the deliveries of one session that are not settled, by
// sequence. Sequences are dense, so it is a queue with holes: what is settled
// leaves a hole, and holes at the front are dropped.
type heldDeliveries struct {
	queue fifo[*Delivery] // the delivery with the sequence base+i, or nil.
	base  uint64
	count int
}

// push adds the delivery with the next sequence.
func (h *heldDeliveries) push(d *Delivery) {
	if h.queue.len() == 0 {
		h.base = d.sequence
	}
	h.queue.push(d)
	h.count++
}

// remove takes out a delivery that is in it.
func (h *heldDeliveries) remove(d *Delivery) {
	h.queue.all()[d.sequence-h.base] = nil
	h.count--
	for h.queue.len() > 0 && h.queue.front() == nil {
		h.queue.pop()
		h.base++
	}
}

// skip leaves out the next sequences: nobody has them.
func (h *heldDeliveries) skip(n uint64) {
	if h.queue.len() == 0 {
		return // The next delivery is the first.
	}
	for range n {
		h.queue.push(nil)
	}
}

// within returns the deliveries of a range that are held.
func (h *heldDeliveries) within(s span) []*Delivery {
	all := h.queue.all()
	from := uint64(0)
	if s.first > h.base {
		from = s.first - h.base
	}
	if s.last < h.base || from >= uint64(len(all)) {
		return nil
	}
	to := min(uint64(len(all)), s.last-h.base+1)
	var found []*Delivery
	for _, d := range all[from:to] {
		if d != nil {
			found = append(found, d)
		}
	}
	return found
}

// all returns every delivery that is held.
func (h *heldDeliveries) all() []*Delivery {
	found := make([]*Delivery, 0, h.count)
	for _, d := range h.queue.all() {
		if d != nil {
			found = append(found, d)
		}
	}
	return found
}

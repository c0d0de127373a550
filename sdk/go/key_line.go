package headrace

import headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"

// keyLine is what a session holds of one ordering key, or of one partition where that
// counts as a key. Only the first of what nobody has begun may be begun, and only while
// no handler works on the key. A delivery whose turn is not yet is set aside.
//
//	inbox ─► not its turn: aside ─► its turn: back to the inbox ─► begun
type keyLine struct {
	id    lineID
	line  fifo[*Delivery] // nobody has begun them, in order; those lost or settled are skipped.
	works int             // deliveries that somebody works on.
	// stops counts deliveries that failed and whose settles are not confirmed: the
	// server takes back what came behind them, and has said so by then.
	stops int
}

// lineID is a key, or a partition.
type lineID struct {
	key       string
	partition uint32
}

// keyLines are the lines of a session. They are the ledger's, under its lock.
type keyLines struct {
	// alone: of a key one is worked on at a time. A loop looks after that by itself, so
	// that it may gather what it likes.
	alone bool
	order headracev1.OrderedBy
	lines map[lineID]*keyLine
	ready []*Delivery // were set aside, and it is their turn.
}

// join puts a delivery at the end of its line, if it has one.
func (k *keyLines) join(d *Delivery) {
	id := lineID{key: d.OrderingKey}
	switch k.order {
	case headracev1.OrderedBy_ORDERED_BY_KEY:
		if d.OrderingKey == "" {
			return
		}
	case headracev1.OrderedBy_ORDERED_BY_PARTITION:
		id = lineID{partition: d.position.Partition}
	default:
		return
	}
	d.line = k.lines[id]
	if d.line == nil {
		if k.lines == nil {
			k.lines = map[lineID]*keyLine{}
		}
		d.line = &keyLine{id: id}
		k.lines[id] = d.line
	}
	d.line.line.push(d)
}

// first is the first one that nobody has begun, or nil.
func (l *keyLine) first() *Delivery {
	for l.line.len() > 0 && l.line.front().state != waiting {
		l.line.pop()
	}
	if l.line.len() == 0 {
		return nil
	}
	return l.line.front()
}

// mayBegin reports whether it is a waiting delivery's turn; it is set aside if not.
func (k *keyLines) mayBegin(d *Delivery) bool {
	d.aside = k.stands(d.line) || d.line.first() != d
	return !d.aside
}

// stands reports whether nothing of a line may be begun.
func (k *keyLines) stands(l *keyLine) bool { return l.stops > 0 || k.alone && l.works > 0 }

// settled notes that a delivery, which somebody worked on or not, has its verdict or is
// lost.
func (k *keyLines) settled(d *Delivery, worked bool) {
	if worked && !k.alone {
		d.line.works--
	}
	k.advance(d.line)
}

// finished notes that a handler has returned.
func (k *keyLines) finished(l *keyLine) {
	l.works--
	k.advance(l)
}

// advance looks at a line of which something ended: whose turn it is goes back to the
// inbox if it was set aside, and a line of which nothing is left goes.
func (k *keyLines) advance(l *keyLine) {
	if k.stands(l) {
		return
	}
	switch d := l.first(); {
	case d == nil && l.works == 0:
		delete(k.lines, l.id)
	case d != nil && d.aside:
		d.aside = false
		k.ready = append(k.ready, d)
	}
}

// proceed ends the stops of settles that are confirmed.
func (k *keyLines) proceed(stopped []*keyLine) {
	for _, l := range stopped {
		l.stops--
		k.advance(l)
	}
}

// takeReady returns the deliveries that were set aside and may be begun now.
func (l *ledger) takeReady() []*Delivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	ready := l.keys.ready
	l.keys.ready = nil
	return ready
}

package storage

// AppendOutcome appends what became of a publish's messages once it is taken in: its
// parts with their positions, cut where dedupe ids had messages left out.
func (p *Publish) AppendOutcome(dst, parts []BatchPart) []BatchPart {
	taken := make([]appendCursor, 0, 8) // Stays on the stack for few appends.
	for i := range p.Appends {
		taken = append(taken, appendCursor{next: p.Appends[i].Base})
	}
	for _, part := range parts {
		if part.Fate != Stored {
			dst = append(dst, part)
			continue
		}
		a := &p.Appends[part.Append]
		dst = taken[part.Append].take(dst, part, a)
	}
	return dst
}

// appendCursor goes through the messages of an append.
type appendCursor struct {
	// index counts its messages, twins those that were left out; next is the offset
	// of the next one that was not.
	index, twins int
	next         Offset
}

// take appends what became of the next messages of an append.
func (c *appendCursor) take(dst []BatchPart, part BatchPart, a *Append) []BatchPart {
	part.Partition = a.Partition.Partition
	for left := part.Count; left > 0; {
		if c.twins < len(a.Twins) && a.Twins[c.twins].Index == c.index {
			dst = append(dst, twinPart(a, &a.Twins[c.twins]))
			c.twins++
			c.index++
			left--
			continue
		}
		run := left
		if c.twins < len(a.Twins) {
			run = min(left, uint32(a.Twins[c.twins].Index-c.index))
		}
		part.Count, part.Offset = run, c.next
		dst = append(dst, part)
		c.next += Offset(run)
		c.index += int(run)
		left -= run
	}
	return dst
}

// twinPart is what became of a message that was left out.
func twinPart(a *Append, t *Twin) BatchPart {
	if t.Conflict {
		return BatchPart{Count: 1, Fate: Refused, Refusal: Refusal{Reason: DedupeConflict}}
	}
	return BatchPart{Count: 1, Fate: Duplicate, Partition: a.Partition.Partition, Offset: t.Offset}
}

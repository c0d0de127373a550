package shardlog

import (
	"container/heap"
	"time"
)

// dueQueue holds partitions until their oldest messages are old enough, each once.
// It belongs to the janitor's loop. The zero value is ready.
type dueQueue struct {
	heap dueHeap
	// known is when each partition is due; other items of it are void.
	known map[*partition]time.Time
}

// add has a partition looked at when it is due; an earlier time that is known stays.
func (q *dueQueue) add(p *partition, due time.Time) {
	if known, ok := q.known[p]; ok && !due.Before(known) {
		return
	}
	if q.known == nil {
		q.known = map[*partition]time.Time{}
	}
	q.known[p] = due
	heap.Push(&q.heap, dueItem{p, due})
}

// take appends the partitions that are due to dst.
func (q *dueQueue) take(dst []*partition, now time.Time) []*partition {
	for len(q.heap) > 0 && !q.heap[0].due.After(now) {
		item := q.heap[0]
		heap.Pop(&q.heap)
		if known, ok := q.known[item.partition]; ok && known.Equal(item.due) {
			delete(q.known, item.partition)
			dst = append(dst, item.partition)
		}
	}
	return dst
}

type dueItem struct {
	partition *partition
	due       time.Time
}

// dueHeap implements heap.Interface.
type dueHeap []dueItem

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(a, b int) bool { return h[a].due.Before(h[b].due) }
func (h dueHeap) Swap(a, b int)      { h[a], h[b] = h[b], h[a] }

// Push implements heap.Interface.
func (h *dueHeap) Push(x any) {
	item, _ := x.(dueItem) // Nothing else is pushed.
	*h = append(*h, item)
}

// Pop implements heap.Interface.
func (h *dueHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

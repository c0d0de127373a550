package shardlog

import "sync"

// attention lists the partitions that the janitor should look at, each once: those
// that got messages or whose floors moved. The committer adds, the janitor takes.
type attention struct {
	mu         sync.Mutex
	partitions []*partition
}

func (a *attention) add(p *partition) {
	if !p.listed.CompareAndSwap(false, true) {
		return
	}
	a.mu.Lock()
	a.partitions = append(a.partitions, p)
	a.mu.Unlock()
}

// take appends everything listed to dst. What happens from now on is listed again.
func (a *attention) take(dst []*partition) []*partition {
	a.mu.Lock()
	n := len(dst)
	dst = append(dst, a.partitions...)
	clear(a.partitions)
	a.partitions = a.partitions[:0]
	a.mu.Unlock()
	for _, p := range dst[n:] {
		p.listed.Store(false)
	}
	return dst
}

package delivery

import "sort"

// ranges is a set of integers, kept as ascending ranges that neither overlap
// nor touch.
type ranges []OffsetRange

// search returns the index of the first range that ends at or after n.
func (r ranges) search(n uint64) int {
	return sort.Search(len(r), func(i int) bool { return r[i].Last >= n })
}

// find returns the range that holds n.
func (r ranges) find(n uint64) (OffsetRange, bool) {
	i := r.search(n)
	if i == len(r) || r[i].First > n {
		return OffsetRange{}, false
	}
	return r[i], true
}

// add adds first..last and returns how many of them were not in the set.
func (r *ranges) add(first, last uint64) (added uint64) {
	set := *r
	from := sort.Search(len(set), func(i int) bool { return set[i].Last+1 >= first })
	to, added := from, last-first+1
	merged := OffsetRange{first, last}
	for to < len(set) && set[to].First <= last+1 {
		added -= overlap(set[to], first, last)
		merged.First = min(merged.First, set[to].First)
		merged.Last = max(merged.Last, set[to].Last)
		to++
	}
	*r = replace(set, from, to, merged)
	return added
}

// replace puts one range in place of those at from..to-1.
func replace(set ranges, from, to int, by OffsetRange) ranges {
	if from == to {
		set = append(set, OffsetRange{})
		copy(set[from+1:], set[from:])
	} else {
		set = append(set[:from+1], set[to:]...)
	}
	set[from] = by
	return set
}

// overlap counts what r has in common with first..last.
func overlap(r OffsetRange, first, last uint64) uint64 {
	low, high := max(r.First, first), min(r.Last, last)
	if low > high {
		return 0
	}
	return high - low + 1
}

// count returns how many of first..last are in the set.
func (r ranges) count(first, last uint64) (n uint64) {
	for i := r.search(first); i < len(r) && r[i].First <= last; i++ {
		n += overlap(r[i], first, last)
	}
	return n
}

// dropBelow removes everything below n.
func (r *ranges) dropBelow(n uint64) {
	set := *r
	i := set.search(n)
	set = append(set[:0], set[i:]...)
	if len(set) > 0 && set[0].First < n {
		set[0].First = n
	}
	*r = set
}

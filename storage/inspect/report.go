package inspect

import "slices"

// maxFindings bounds the findings that a report keeps.
const maxFindings = 1000

// Report is what an inspection found.
type Report struct {
	// Findings are in the order in which they were found, maxFindings at most; More
	// counts those that are left out.
	Findings []Finding
	More     int
	// Worst is the severity of the worst finding, left out or not; 0: there is none.
	Worst Severity

	// Epoch counts the openings, Clean says that the last stop was in order, and
	// LastBatch is the number of the newest batch.
	Epoch     uint64
	Clean     bool
	LastBatch uint64
	// Topics, Subscriptions and Partitions are those in use.
	Topics, Subscriptions, Partitions int
	// Snapshots are those that are kept.
	Snapshots int
	// Batches are the headers in the ring, Pointers and Segments the records of
	// messages, AckParts those of ack chunks, Histories those of failures.
	Batches, Pointers, Segments, AckParts, Histories int
	// Holes are the pointers without messages, DeadLetters those kept, ParkedKeys the
	// ordering keys that wait to be released.
	Holes, DeadLetters, ParkedKeys int
	// SessionPages are those of the sessions of exactly-once subscriptions.
	SessionPages int
	// Orphans are commit segments without a pointer: they wait for their deletion.
	Orphans int
	// Producers are those that are remembered, ProducerBatches the batches of theirs;
	// DedupeRecords hold dedupe ids, one for each partition of a commit.
	Producers, ProducerBatches, DedupeRecords int
	// Messages and Bytes are those from the first retained offsets on, those in holes
	// among them.
	Messages, Bytes uint64
}

// Add adds a finding.
func (r *Report) Add(f Finding) {
	r.Worst = max(r.Worst, f.Severity)
	if len(r.Findings) == maxFindings {
		r.More++
		return
	}
	r.Findings = append(r.Findings, f)
}

// Of gives the findings of at least a severity.
func (r *Report) Of(least Severity) []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Severity < least })
}

// Prepend puts the findings of another report before those of this one.
func (r *Report) Prepend(other *Report) {
	own, more := r.Findings, r.More
	r.Findings, r.More = nil, other.More+more
	for _, f := range append(slices.Clone(other.Findings), own...) {
		r.Add(f)
	}
	r.Worst = max(r.Worst, other.Worst)
}

package storage

// Target is where a subscription is to be moved.
type Target struct {
	// Start: what is before it becomes settled, the rest unsettled. Partitions without
	// an offset stay as they are where it is given by offsets.
	Start Start
	// Snapshot, when it is not 0, stands for Start: what it has settled becomes settled,
	// what it has not, and what came since, unsettled.
	Snapshot SubscriptionID
	// DryRun: only what would become of it is told.
	DryRun bool
}

// Seeked tells what a seek did, or would do.
type Seeked struct {
	// Generation is that of the cursors that were moved, afterwards.
	Generation uint64
	// Unsettled and Settled are how many messages become so, of those that are kept.
	Unsettled, Settled uint64
}

package record

// What an engine must take, and what the committer keeps within.
const (
	// InlineValueBytes is from what size on a value lies apart from its key.
	InlineValueBytes = 4 << 10
	// MaxBatchInlineBytes bounds the keys' and inline values' bytes of one batch.
	MaxBatchInlineBytes = 3 << 19
	// MaxBatchKeys bounds the operations of one batch.
	MaxBatchKeys = 12_000
	// MaxBatchBytes bounds all of a batch: the largest message alone, its own limit
	// and what goes with it.
	MaxBatchBytes = 64 << 20
)

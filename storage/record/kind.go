package record

// Kind is the first byte of a key: what record it names.
type Kind byte

// The kinds of records. They are stored: never reuse a letter.
const (
	// KindBatch: the ring of batch headers.
	KindBatch Kind = 'b'
	// KindSegment: commit segments, which hold the messages.
	KindSegment Kind = 's'
	// KindPointer: where a partition's offsets lie, or that they are a hole.
	KindPointer Kind = 'm'
	// KindPartition: a partition's first retained offset and head checkpoint.
	KindPartition Kind = 'p'
	// KindCursor: a subscription's floor in a partition.
	KindCursor Kind = 'c'
	// KindAck: ack chunks, what is settled past the floor.
	KindAck Kind = 'a'
	// KindProducer: producers, how far they have come, and what became of their
	// batches.
	KindProducer Kind = 'x'
	// KindDedupe: the dedupe ids of a commit in a partition.
	KindDedupe Kind = 'i'
	// KindHistory: the last failures of messages that failed.
	KindHistory Kind = 'r'
	// KindDeadLetter: messages that subscriptions gave up.
	KindDeadLetter Kind = 'q'
	// KindParked: ordering keys that wait to be released.
	KindParked Kind = 'k'
	// KindSession: sessions of exactly-once subscriptions, and what they hold.
	KindSession Kind = 'l'
	// KindTopic: topics.
	KindTopic Kind = 't'
	// KindSubscription: subscriptions.
	KindSubscription Kind = 'u'
	// KindShard: the one record of the shard itself.
	KindShard Kind = 'z'
)

// Reserved are the letters that are spoken for and not written yet: due times (d),
// expiry times (e), transactions (y), snapshots (n), other configuration (g).
const Reserved = "deyng"

// AppendPrefix appends the prefix of all keys of a kind.
func AppendPrefix(dst []byte, k Kind) []byte { return append(dst, byte(k)) }

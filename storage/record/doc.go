// Package record holds the keys and values of a shard: what is written to an
// engine, to the byte.
//
// Keys are big-endian, one letter first (see Kind), without delimiters, so that
// they sort by their fields. Values of hot records are of fixed, hand-coded
// binary layout; the catalog's (topics, subscriptions, the shard itself) are
// Protobuf. Every value carries a version and a CRC32C over key and value, and
// every decoder checks both:
//
//	version(1) body(n) crc(4)       crc over key, version, body
//
// The one exception is the commit segment, which is megabytes long and read in
// parts: it has a checksum for each block, and its trailer has another.
//
// Append functions append to a slice of the caller's and allocate nothing once
// that slice is large enough. What they make is canonical: a value of the newest
// version that decodes encodes to the same bytes again.
//
// Guarantees: a decoder never panics and never hands out what it could not
// verify; whatever is wrong is storage.ErrDataLoss with the key in its text. An
// empty value is never legal.
//
// Caveats: formats are append-only history. A changed layout gets a new version
// or a new letter, and the golden tests say so.
package record

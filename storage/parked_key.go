package storage

import "time"

// MaxParkedKeyBytes bounds the ordering key that is kept of a parked one: as long as a
// key may be.
const MaxParkedKeyBytes = 1 << 10

// ParkedKey is an ordering key of a subscription that waits to be released.
type ParkedKey struct {
	ParkedKeyID
	// Key is the ordering key; empty where a partition is the key.
	Key string
	// Since is when it was parked.
	Since time.Time
}

// ParkedKeyID names a parked key of a subscription.
type ParkedKeyID struct {
	// Partition is the key's.
	Partition uint16
	// Hash is KeyHash.Hash; 0 where a partition is the key.
	Hash uint32
}

// KeyChange parks an ordering key, or releases it.
type KeyChange struct {
	Hash   uint32
	Parked bool
	// Key and Since are of one that is parked, as in ParkedKey.
	Key   string
	Since time.Time
}

package broker

import (
	"github.com/cespare/xxhash/v2"

	"github.com/headrace/headrace/storage"
)

// HashKey is the hash of an ordering key: the low 32 bits of xxHash64 with seed 0
// over the key's bytes. An empty key is no key. It is a format: it decides a key's
// partition and is stored with each message.
func HashKey(key []byte) storage.KeyHash {
	if len(key) == 0 {
		return storage.KeyHash{}
	}
	return storage.KeyHash{Hash: uint32(xxhash.Sum64(key)), Present: true}
}

// keyPartition is the one partition of a key, for ever: its hash modulo the
// number of partitions.
func keyPartition(key storage.KeyHash, partitions int) int {
	return int(key.Hash % uint32(partitions))
}

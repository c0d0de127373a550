package backup

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"

	"github.com/headrace/headrace/storage"
)

// The layout of a backup, big-endian:
//
//	file       "headrace backup\n" block*
//	block      kind(1) length(4) body(length) crc(4)    CRC32C over the block's number from 0 (8), kind, length, body
//
//	1 header   version(4) store(16) shards(4)           the first block
//	2 records  { key_length(2) value_length(4) key value }*
//	3 batch    number(8) epoch(8) hash(8) { key_length(2) value_length(4) key value }*
//	           without a value: a delete
//	4 places   { topic(4) partition(2) first(8) next(8) }*
//	5 trailer  first_batch(8) last_batch(8) epoch(8) hash(8) records(8) batches(8) places(8) messages(8) bytes(8)
//	           topics(8) subscriptions(8) sum(8)        the last block; first_batch is 0 without batches;
//	                                                    sum: XXH64 over everything before this block
const (
	magic   = "headrace backup\n"
	version = 2

	kindHeader  = 1
	kindRecords = 2
	kindBatch   = 3
	kindPlaces  = 4
	kindTrailer = 5

	blockHeadBytes = 1 + 4
	crcBytes       = 4
	headerBytes    = 4 + storeIDBytes + 4
	storeIDBytes   = 16
	batchHeadBytes = 3 * 8
	opHeadBytes    = 2 + 4
	placeBytes     = 4 + 2 + 8 + 8
	trailerBytes   = 12 * 8

	// maxBlockBytes bounds a block's body: the largest batch with the sizes of its
	// keys and values.
	maxBlockBytes = 80 << 20
	// maxPlacesInBlock bounds the positions in a block.
	maxPlacesInBlock = 1 << 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	// ErrDamaged is returned when a file is not a backup, is cut off, or is not as it
	// was written.
	ErrDamaged = errors.New("backup: damaged")
	// ErrVersion is returned when a file has another format than this program reads.
	ErrVersion = errors.New("backup: another format")
)

// Identity says which store a backup is of.
type Identity struct {
	// Store is the store's id, Shards the number of its shards.
	Store  [storeIDBytes]byte
	Shards uint32
}

// StoreText is the store's id in hex.
func (i Identity) StoreText() string { return hex.EncodeToString(i.Store[:]) }

// Position is how far a partition reaches in a backup.
type Position struct {
	Partition storage.PartitionID
	// First is the first retained offset, Next the one after the last message.
	First, Next storage.Offset
}

// Contents is what is in a backup.
type Contents struct {
	Identity
	// FirstBatch is the first batch that was committed while the backup ran, 0 when
	// there was none. LastBatch is the one as of which the store was, Epoch and Hash
	// are its own.
	FirstBatch, LastBatch, Epoch, Hash uint64
	// Records and Batches count what the file holds of both.
	Records, Batches uint64
	// Topics and Subscriptions are those in use, Messages and Bytes what is retained.
	Topics, Subscriptions, Messages, Bytes uint64
	// Positions are in order of topics and partitions.
	Positions []Position
}

// entry is what a commit ledger should say of the last batch.
func (c *Contents) entry() storage.LedgerEntry {
	return storage.LedgerEntry{Epoch: c.Epoch, Number: c.LastBatch, Hash: c.Hash}
}

func appendHeader(dst []byte, i Identity) []byte {
	dst = binary.BigEndian.AppendUint32(dst, version)
	dst = append(dst, i.Store[:]...)
	return binary.BigEndian.AppendUint32(dst, i.Shards)
}

// appendOp appends a put, or a delete when value is empty.
func appendOp(dst, key, value []byte) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(key)))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(value)))
	dst = append(dst, key...)
	return append(dst, value...)
}

func opBytes(key, value []byte) int { return opHeadBytes + len(key) + len(value) }

// encodeBatch gives the body of a batch's block, in memory of its own.
func encodeBatch(b *storage.Batch) []byte {
	size := batchHeadBytes
	for i := range b.Ops {
		size += opBytes(b.Ops[i].Key, b.Ops[i].Value)
	}
	body := make([]byte, 0, size)
	for _, v := range []uint64{b.Number, b.Epoch, b.Hash} {
		body = binary.BigEndian.AppendUint64(body, v)
	}
	for i := range b.Ops {
		body = appendOp(body, b.Ops[i].Key, b.Ops[i].Value)
	}
	return body
}

func appendPlaces(dst []byte, positions []Position) []byte {
	for _, p := range positions {
		dst = binary.BigEndian.AppendUint32(dst, uint32(p.Partition.Topic))
		dst = binary.BigEndian.AppendUint16(dst, p.Partition.Partition)
		dst = binary.BigEndian.AppendUint64(dst, uint64(p.First))
		dst = binary.BigEndian.AppendUint64(dst, uint64(p.Next))
	}
	return dst
}

// appendTrailer appends the trailer after everything before it that has the sum.
func appendTrailer(dst []byte, c *Contents, sum uint64) []byte {
	for _, v := range []uint64{
		c.FirstBatch, c.LastBatch, c.Epoch, c.Hash, c.Records, c.Batches, uint64(len(c.Positions)),
		c.Messages, c.Bytes, c.Topics, c.Subscriptions, sum,
	} {
		dst = binary.BigEndian.AppendUint64(dst, v)
	}
	return dst
}

// blockChecksum is the checksum of a block: its number is in it, so that blocks
// cannot change places.
func blockChecksum(number uint64, head, body []byte) uint32 {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], number)
	return crc32.Update(crc32.Update(crc32.Checksum(n[:], castagnoli), castagnoli, head), castagnoli, body)
}

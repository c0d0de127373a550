package record

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/headrace/headrace/storage"
)

// Header is the record of one batch, the links of the batch chain:
//
//	version(1) number(8) epoch(8) previous(8) hash(8) ops(4) messages(4) crc(4)
type Header struct {
	// Number is the batch's, from 1.
	Number uint64
	// Epoch is the owner's that made the batch.
	Epoch uint64
	// Previous is the hash of the batch before it; 0 for the first one.
	Previous uint64
	// Ops counts the batch's operations, this header's own among them.
	Ops uint32
	// Messages counts the messages that the batch added.
	Messages uint32
}

const (
	headerVersion   = 1
	headerBodyBytes = 8 + 8 + 8 + 8 + 4 + 4
)

// Hash is the batch's own hash: over all fields, the hash of the batch before it
// among them.
func (h *Header) Hash() uint64 {
	var b [8 + 8 + 8 + 4 + 4]byte
	binary.BigEndian.PutUint64(b[0:], h.Number)
	binary.BigEndian.PutUint64(b[8:], h.Epoch)
	binary.BigEndian.PutUint64(b[16:], h.Previous)
	binary.BigEndian.PutUint32(b[24:], h.Ops)
	binary.BigEndian.PutUint32(b[28:], h.Messages)
	return xxhash.Sum64(b[:])
}

// AppendHeader appends the value of a batch header.
func AppendHeader(dst, key []byte, h *Header) []byte {
	start := len(dst)
	dst = append(dst, headerVersion)
	dst = binary.BigEndian.AppendUint64(dst, h.Number)
	dst = binary.BigEndian.AppendUint64(dst, h.Epoch)
	dst = binary.BigEndian.AppendUint64(dst, h.Previous)
	dst = binary.BigEndian.AppendUint64(dst, h.Hash())
	dst = binary.BigEndian.AppendUint32(dst, h.Ops)
	dst = binary.BigEndian.AppendUint32(dst, h.Messages)
	return seal(dst, start, key)
}

// DecodeHeader decodes and checks a batch header: its hash must be its own, and
// its number must belong into the key's slot.
func DecodeHeader(key, value []byte) (Header, error) {
	slot, err := ParseBatchKey(key)
	if err != nil {
		return Header{}, err
	}
	body, err := unsealFixed(key, value, headerVersion, headerBodyBytes)
	if err != nil {
		return Header{}, err
	}
	r := reader(body)
	h := Header{Number: r.uint64(), Epoch: r.uint64(), Previous: r.uint64()}
	hash := r.uint64()
	h.Ops, h.Messages = r.uint32(), r.uint32()
	if h.Number%BatchRing != uint64(slot) {
		return Header{}, damaged(key, "holds batch %d", h.Number)
	}
	if h.Hash() != hash {
		return Header{}, damaged(key, "batch %d: hash does not match", h.Number)
	}
	return h, nil
}

// LedgerEntry is what an engine's ledger should say of the batch.
func (h *Header) LedgerEntry() storage.LedgerEntry {
	return storage.LedgerEntry{Epoch: h.Epoch, Number: h.Number, Hash: h.Hash()}
}

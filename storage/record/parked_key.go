package record

import (
	"encoding/binary"
	"time"

	"github.com/headrace/headrace/storage"
)

// ParkedKey is the record of an ordering key that waits to be released:
//
//	version(1) key_version(8) since(8) key_len(2) key crc(4)
type ParkedKey struct {
	// Version is the number of the batch that wrote it.
	Version uint64
	// Since is when it was parked, Key the ordering key.
	Since time.Time
	Key   string
}

const (
	parkedVersion   = 1
	parkedHeadBytes = 8 + 8 + 2
)

// ParkedKeyKey names a parked key.
type ParkedKeyKey struct {
	Subscription storage.SubscriptionID
	Partition    uint16
	// Generation is the cursor's, as in AckKey: a seek releases keys.
	Generation uint64
	Hash       uint32
}

// AppendParkedSubscriptionPrefix appends the prefix of all parked keys of a
// subscription.
func AppendParkedSubscriptionPrefix(dst []byte, s storage.SubscriptionID) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(KindParked)), uint32(s))
}

// AppendParkedPrefix appends the prefix of the parked keys of a subscription in a
// partition in a generation.
func AppendParkedPrefix(dst []byte, s storage.SubscriptionID, partition uint16, generation uint64) []byte {
	dst = binary.BigEndian.AppendUint16(AppendParkedSubscriptionPrefix(dst, s), partition)
	return binary.BigEndian.AppendUint64(dst, generation)
}

// AppendParkedKey appends the key of a parked key.
func AppendParkedKey(dst []byte, k ParkedKeyKey) []byte {
	dst = AppendParkedPrefix(dst, k.Subscription, k.Partition, k.Generation)
	return binary.BigEndian.AppendUint32(dst, k.Hash)
}

// ParseParkedKey gives the fields of a parked key's key.
func ParseParkedKey(key []byte) (ParkedKeyKey, error) {
	if err := checkKey(key, KindParked, parkedKeyBytes); err != nil {
		return ParkedKeyKey{}, err
	}
	return ParkedKeyKey{
		Subscription: storage.SubscriptionID(binary.BigEndian.Uint32(key[1:])),
		Partition:    binary.BigEndian.Uint16(key[5:]),
		Generation:   binary.BigEndian.Uint64(key[7:]),
		Hash:         binary.BigEndian.Uint32(key[15:]),
	}, nil
}

// AppendParked appends the value of a parked key, which is at most
// storage.MaxParkedKeyBytes long.
func AppendParked(dst, key []byte, p *ParkedKey) []byte {
	start := len(dst)
	dst = append(dst, parkedVersion)
	dst = binary.BigEndian.AppendUint64(dst, p.Version)
	dst = appendTime(dst, p.Since)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(p.Key)))
	dst = append(dst, p.Key...)
	return seal(dst, start, key)
}

// DecodeParked decodes and checks a parked key.
func DecodeParked(key, value []byte) (ParkedKey, error) {
	if _, err := ParseParkedKey(key); err != nil {
		return ParkedKey{}, err
	}
	body, err := unseal(key, value, parkedVersion)
	if err != nil {
		return ParkedKey{}, err
	}
	if len(body) < parkedHeadBytes {
		return ParkedKey{}, damaged(key, "parked key of %d bytes", len(body))
	}
	r := reader(body)
	p := ParkedKey{Version: r.uint64(), Since: r.time()}
	if !r.text(&p.Key, 2) || len(r) > 0 || len(p.Key) > storage.MaxParkedKeyBytes {
		return ParkedKey{}, damaged(key, "parked key makes no sense")
	}
	return p, nil
}

// ParkedHash is what one parked key adds to a cursor's AckSum, as AckHash is for ack
// chunks.
func ParkedHash(hash uint32, version uint64) uint64 {
	return AckHash(uint64(hash), parkedPart, version)
}

// parkedPart stands where AckHash has a part, which none has.
const parkedPart = 0xfe

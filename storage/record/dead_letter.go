package record

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/headrace/headrace/storage"
)

// The value of a dead letter:
//
//	version(1) offset(8) log_time(8) dead_time(8) reason(1) failed(4) expired(4) lost(4)
//	key(1) key_hash(4) failures(1) failure* message(n) crc(4)
//
// Failures are as in History. The message is what is left. One that was to be forwarded
// has version 2, and between its failures and its message
//
//	topic(4) partition(2) offset(8) forward_failure(1)
//
// where the copy stands, or would stand if there were no failure.
const (
	deadLetterVersion   = 1
	forwardedVersion    = 2
	deadLetterHeadBytes = 8 + 8 + 8 + 1 + 3*4 + 1 + 4 + 1
	forwardBytes        = 4 + 2 + 8 + 1

	// DeadLetterOverheadBytes bounds what a dead letter takes beside its message.
	DeadLetterOverheadBytes = deadLetterKeyBytes + versionBytes + deadLetterHeadBytes +
		storage.MaxHistoryBytes + forwardBytes + crcBytes
)

// AppendDeadLetterPrefix appends the prefix of all dead letters of a subscription.
func AppendDeadLetterPrefix(dst []byte, s storage.SubscriptionID) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(KindDeadLetter)), uint32(s))
}

// AppendDeadLetterSequencePrefix appends the prefix of the key of one dead letter,
// whose partition is not known.
func AppendDeadLetterSequencePrefix(dst []byte, s storage.SubscriptionID, sequence uint64) []byte {
	return binary.BigEndian.AppendUint64(AppendDeadLetterPrefix(dst, s), sequence)
}

// AppendDeadLetterKey appends the key of a dead letter.
func AppendDeadLetterKey(dst []byte, s storage.SubscriptionID, id storage.DeadLetterID) []byte {
	dst = binary.BigEndian.AppendUint64(AppendDeadLetterPrefix(dst, s), id.Sequence)
	return binary.BigEndian.AppendUint16(dst, id.Partition)
}

// ParseDeadLetterKey gives the subscription and the dead letter of a key.
func ParseDeadLetterKey(key []byte) (s storage.SubscriptionID, id storage.DeadLetterID, err error) {
	if err := checkKey(key, KindDeadLetter, deadLetterKeyBytes); err != nil {
		return 0, id, err
	}
	id = storage.DeadLetterID{Sequence: binary.BigEndian.Uint64(key[5:]), Partition: binary.BigEndian.Uint16(key[13:])}
	return storage.SubscriptionID(binary.BigEndian.Uint32(key[1:])), id, nil
}

// AppendDeadLetter appends the value of a dead letter, whose failures are within
// storage.BoundFailures.
func AppendDeadLetter(dst, key []byte, d *storage.DeadLetter) []byte {
	start := len(dst)
	dst = append(dst, versionOf(d))
	dst = binary.BigEndian.AppendUint64(dst, uint64(d.Offset))
	dst = appendTime(appendTime(dst, d.LogTime), d.DeadTime)
	dst = append(dst, byte(d.Reason))
	dst = binary.BigEndian.AppendUint32(dst, d.Failed)
	dst = binary.BigEndian.AppendUint32(dst, d.Expired)
	dst = binary.BigEndian.AppendUint32(dst, d.Lost)
	dst = append(dst, hasKey(d.Key))
	dst = binary.BigEndian.AppendUint32(dst, d.Key.Hash)
	dst = appendFailures(dst, d.Failures)
	if d.Forward != nil {
		dst = appendForward(dst, d.Forward)
	}
	dst = append(dst, d.Message...)
	return seal(dst, start, key)
}

func versionOf(d *storage.DeadLetter) byte {
	if d.Forward != nil {
		return forwardedVersion
	}
	return deadLetterVersion
}

func appendForward(dst []byte, f *storage.Forward) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(f.Copy.Partition.Topic))
	dst = binary.BigEndian.AppendUint16(dst, f.Copy.Partition.Partition)
	dst = binary.BigEndian.AppendUint64(dst, uint64(f.Copy.Base))
	return append(dst, byte(f.Failure))
}

// DecodeDeadLetter decodes and checks a dead letter, which shares value's memory.
func DecodeDeadLetter(key, value []byte) (storage.DeadLetter, error) {
	_, id, err := ParseDeadLetterKey(key)
	if err != nil {
		return storage.DeadLetter{}, err
	}
	d := storage.DeadLetter{Sequence: id.Sequence, Partition: id.Partition}
	if len(value) > 0 && value[0] == forwardedVersion {
		d.Forward = &storage.Forward{}
	}
	body, err := unseal(key, value, versionOf(&d))
	if err != nil {
		return storage.DeadLetter{}, err
	}
	if len(body) < deadLetterHeadBytes || !decodeDeadLetter(body, &d) {
		return storage.DeadLetter{}, damaged(key, "dead letter makes no sense")
	}
	return d, nil
}

func decodeDeadLetter(body []byte, d *storage.DeadLetter) (ok bool) {
	r := reader(body)
	d.Offset, d.LogTime, d.DeadTime = storage.Offset(r.uint64()), r.time(), r.time()
	d.Reason = storage.DeadReason(r.uint8())
	d.Failed, d.Expired, d.Lost = r.uint32(), r.uint32(), r.uint32()
	present := r.uint8()
	d.Key = storage.KeyHash{Hash: r.uint32(), Present: present == 1}
	d.Failures, d.Message, ok = decodeFailures(r)
	return ok && decodeForward(d) && d.Reason >= storage.DeadAttempts && d.Reason <= storage.DeadBacklog &&
		present <= 1 && (present == 1 || d.Key.Hash == 0) && len(d.Message) > 0
}

// decodeForward decodes what stands before the message of one that was to be forwarded.
func decodeForward(d *storage.DeadLetter) (ok bool) {
	if d.Forward == nil {
		return true
	}
	if len(d.Message) < forwardBytes {
		return false
	}
	r := reader(d.Message)
	f := d.Forward
	f.Copy.Partition = storage.PartitionID{Topic: storage.TopicID(r.uint32()), Partition: r.uint16()}
	f.Copy.Base, f.Failure = storage.Offset(r.uint64()), storage.ForwardFailure(r.uint8())
	d.Message = r
	return f.Failure <= storage.ForwardNoSpace
}

func hasKey(k storage.KeyHash) byte {
	if k.Present {
		return 1
	}
	return 0
}

// DeadLetterHash is what one dead letter adds to a cursor's DeadSum, by exclusive or.
func DeadLetterHash(sequence uint64) uint64 {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], sequence)
	return xxhash.Sum64(b[:])
}

package record

import (
	"encoding/binary"

	"github.com/headrace/headrace/storage"
)

// History is the record of a message's failures:
//
//	version(1) history_version(8) failures(1) failure* crc(4)
//
//	failure  time(8) kind(1) client_len(1) client code_len(1) code reason_len(2) reason
type History struct {
	// Version is the number of the batch that wrote it.
	Version  uint64
	Failures []storage.Failure
}

const (
	historyVersion   = 1
	historyHeadBytes = 8 + 1
	failureHeadBytes = 8 + 1 + 1
)

// HistoryKey names the failures of one message.
type HistoryKey struct {
	Subscription storage.SubscriptionID
	Partition    uint16
	// Generation is the cursor's, as in AckKey.
	Generation uint64
	Offset     storage.Offset
}

// AppendHistorySubscriptionPrefix appends the prefix of all histories of a
// subscription.
func AppendHistorySubscriptionPrefix(dst []byte, s storage.SubscriptionID) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(KindHistory)), uint32(s))
}

// AppendHistoryPrefix appends the prefix of the histories of a subscription in a
// partition in a generation.
func AppendHistoryPrefix(dst []byte, s storage.SubscriptionID, partition uint16, generation uint64) []byte {
	dst = binary.BigEndian.AppendUint16(AppendHistorySubscriptionPrefix(dst, s), partition)
	return binary.BigEndian.AppendUint64(dst, generation)
}

// AppendHistoryKey appends the key of a message's failures.
func AppendHistoryKey(dst []byte, k HistoryKey) []byte {
	dst = AppendHistoryPrefix(dst, k.Subscription, k.Partition, k.Generation)
	return binary.BigEndian.AppendUint64(dst, uint64(k.Offset))
}

// ParseHistoryKey gives the fields of a history's key.
func ParseHistoryKey(key []byte) (HistoryKey, error) {
	if err := checkKey(key, KindHistory, historyKeyBytes); err != nil {
		return HistoryKey{}, err
	}
	return HistoryKey{
		Subscription: storage.SubscriptionID(binary.BigEndian.Uint32(key[1:])),
		Partition:    binary.BigEndian.Uint16(key[5:]),
		Generation:   binary.BigEndian.Uint64(key[7:]),
		Offset:       storage.Offset(binary.BigEndian.Uint64(key[15:])),
	}, nil
}

// AppendHistory appends the value of a history, whose failures are within
// storage.BoundFailures.
func AppendHistory(dst, key []byte, h *History) []byte {
	start := len(dst)
	dst = append(dst, historyVersion)
	dst = binary.BigEndian.AppendUint64(dst, h.Version)
	dst = appendFailures(dst, h.Failures)
	return seal(dst, start, key)
}

// DecodeHistory decodes and checks a history.
func DecodeHistory(key, value []byte) (History, error) {
	if _, err := ParseHistoryKey(key); err != nil {
		return History{}, err
	}
	body, err := unseal(key, value, historyVersion)
	if err != nil {
		return History{}, err
	}
	if len(body) < historyHeadBytes {
		return History{}, damaged(key, "history of %d bytes", len(body))
	}
	r := reader(body)
	h := History{Version: r.uint64()}
	failures, rest, ok := decodeFailures(r)
	if !ok || len(rest) > 0 {
		return History{}, damaged(key, "history makes no sense")
	}
	h.Failures = failures
	return h, nil
}

// HistoryHash is what one history adds to a cursor's AckSum, as AckHash is for ack
// chunks.
func HistoryHash(offset storage.Offset, version uint64) uint64 {
	return AckHash(uint64(offset), historyPart, version)
}

// historyPart stands where AckHash has a part, which none has.
const historyPart = 0xff

func appendFailures(dst []byte, all []storage.Failure) []byte {
	dst = append(dst, byte(len(all)))
	for i := range all {
		f := &all[i]
		dst = appendTime(dst, f.Time)
		dst = append(dst, byte(f.Kind), byte(len(f.Client)))
		dst = append(dst, f.Client...)
		dst = append(dst, byte(len(f.Code)))
		dst = append(dst, f.Code...)
		dst = binary.BigEndian.AppendUint16(dst, uint16(len(f.Reason)))
		dst = append(dst, f.Reason...)
	}
	return dst
}

// decodeFailures decodes failures and gives what follows them.
func decodeFailures(body []byte) (all []storage.Failure, rest []byte, ok bool) {
	n := int(body[0])
	body = body[1:]
	if n > storage.MaxFailures {
		return nil, nil, false
	}
	for range n {
		f := storage.Failure{}
		if body, ok = decodeFailure(body, &f); !ok {
			return nil, nil, false
		}
		all = append(all, f)
	}
	return all, body, true
}

func decodeFailure(body []byte, f *storage.Failure) (rest []byte, ok bool) {
	if len(body) < failureHeadBytes {
		return nil, false
	}
	r := reader(body)
	f.Time, f.Kind = r.time(), storage.FailureKind(r.uint8())
	ok = f.Kind >= storage.FailureRetried && f.Kind <= storage.FailureRejected &&
		r.text(&f.Client, 1) && r.text(&f.Code, 1) && r.text(&f.Reason, 2) &&
		len(f.Code) <= storage.MaxFailureCodeBytes && len(f.Reason) <= storage.MaxFailureReasonBytes
	return r, ok
}

package record

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/headrace/headrace/storage"
)

// What is stored of the sessions of an exactly-once subscription, by slot:
//
//	0                      the session itself
//	1..MaxSessionSlots     a block of what it holds, see HeldBlock
//	FailureSlots + n       a page of the failures of its settles
//
// The zero session's page 0 is the subscription's own: it counts all others.
//
//	sessions  version(1) pages(4) sum(8) crc(4)
//	session   version(1) page_version(8) sent(8) charged(8) applied(8) client_len(2) client crc(4)
//	failures  version(1) page_version(8) count(1) failure* crc(4)
//	block     version(1) page_version(8) first(8) messages(1) live(8) started(8) until(8) runs(1) keyed(1)
//	          run* size(4)* key* crc(4)
//
//	failure   number(8) first(8) last(8) reason(1)
//	run       partition(2) generation(8) first(8) count(1)
//	key       hash(4) present(1)
const (
	sessionVersion = 1

	sessionHeadBytes   = 8 + 3*8 + 2
	failuresHeadBytes  = 8 + 1
	settleFailureBytes = 3*8 + 1
	blockHeadBytes     = 8 + 8 + 1 + 8 + 8 + 8 + 1 + 1
	heldRunBytes       = 2 + 8 + 8 + 1
	heldSizeBytes      = 4
	heldKeyBytes       = 4 + 1
	sessionsBodyBytes  = 4 + 8

	// FailureSlots is the first slot of failures, FailuresPerPage how many are in one.
	FailureSlots    = 1 << 31
	FailuresPerPage = 120
	// MaxFailurePages bounds the pages of a session's failures.
	MaxFailurePages = (storage.MaxSessionFailures + FailuresPerPage - 1) / FailuresPerPage

	// MaxSessionPageBytes is the size of the largest page with its key.
	MaxSessionPageBytes = sessionKeyBytes + versionBytes + crcBytes + blockHeadBytes +
		storage.MaxHeldMessages*(heldRunBytes+heldSizeBytes+heldKeyBytes)
)

// SessionPageKey names a page.
type SessionPageKey struct {
	Subscription storage.SubscriptionID
	Session      storage.SessionKey
	Slot         uint32
}

// AppendSessionSubscriptionPrefix appends the prefix of all pages of a subscription.
func AppendSessionSubscriptionPrefix(dst []byte, s storage.SubscriptionID) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(KindSession)), uint32(s))
}

// AppendSessionKey appends the key of a page.
func AppendSessionKey(dst []byte, k SessionPageKey) []byte {
	dst = append(AppendSessionSubscriptionPrefix(dst, k.Subscription), k.Session[:]...)
	return binary.BigEndian.AppendUint32(dst, k.Slot)
}

// ParseSessionKey gives the fields of a page's key.
func ParseSessionKey(key []byte) (k SessionPageKey, err error) {
	if err := checkKey(key, KindSession, sessionKeyBytes); err != nil {
		return k, err
	}
	k.Subscription = storage.SubscriptionID(binary.BigEndian.Uint32(key[1:]))
	copy(k.Session[:], key[5:])
	k.Slot = binary.BigEndian.Uint32(key[21:])
	return k, nil
}

// Counts says that a page is the subscription's own, which counts the others.
func (k SessionPageKey) Counts() bool { return k.Session == storage.SessionKey{} && k.Slot == 0 }

// IsBlock says that a page is a block.
func (k SessionPageKey) IsBlock() bool { return k.Slot > 0 && k.Slot <= storage.MaxSessionSlots }

// IsFailures says that a page has failures.
func (k SessionPageKey) IsFailures() bool { return k.Slot >= FailureSlots }

// Sessions counts the pages of a subscription: what is found must match.
type Sessions struct {
	Pages uint32
	// Sum is the exclusive or of SessionPageHash over them.
	Sum uint64
}

// Count takes a page in, or, with a sign of -1, out.
func (s *Sessions) Count(k storage.SessionKey, slot uint32, version uint64, sign int) {
	s.Pages += uint32(sign)
	s.Sum ^= SessionPageHash(k, slot, version)
}

// SessionPageHash is what a page adds to Sessions.Sum, by exclusive or.
func SessionPageHash(k storage.SessionKey, slot uint32, version uint64) uint64 {
	var b [16 + 4 + 8]byte
	copy(b[:], k[:])
	binary.BigEndian.PutUint32(b[16:], slot)
	binary.BigEndian.PutUint64(b[20:], version)
	return xxhash.Sum64(b[:])
}

// AppendSessions appends the value of a subscription's own page.
func AppendSessions(dst, key []byte, s Sessions) []byte {
	start := len(dst)
	dst = binary.BigEndian.AppendUint32(append(dst, sessionVersion), s.Pages)
	dst = binary.BigEndian.AppendUint64(dst, s.Sum)
	return seal(dst, start, key)
}

// DecodeSessions decodes and checks a subscription's own page.
func DecodeSessions(key, value []byte) (Sessions, error) {
	k, err := ParseSessionKey(key)
	if err != nil {
		return Sessions{}, err
	}
	if !k.Counts() {
		return Sessions{}, damaged(key, "not the page that counts the others")
	}
	body, err := unsealFixed(key, value, sessionVersion, sessionsBodyBytes)
	if err != nil {
		return Sessions{}, err
	}
	r := reader(body)
	return Sessions{Pages: r.uint32(), Sum: r.uint64()}, nil
}

// SessionPage is a page of a session: what it holds is said by its key.
type SessionPage struct {
	// Version is the number of the batch that wrote it.
	Version uint64
	// Record is the session itself, without failures.
	Record   storage.SessionRecord
	Failures []storage.SettleFailure
	Block    storage.HeldBlock
}

// AppendSession appends the value of a session itself.
func AppendSession(dst, key []byte, version uint64, s *storage.SessionRecord) []byte {
	start := len(dst)
	dst = binary.BigEndian.AppendUint64(append(dst, sessionVersion), version)
	dst = binary.BigEndian.AppendUint64(dst, s.Sent)
	dst = binary.BigEndian.AppendUint64(dst, s.Charged)
	dst = binary.BigEndian.AppendUint64(dst, s.Applied)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(s.ClientID)))
	return seal(append(dst, s.ClientID...), start, key)
}

// AppendSessionFailures appends the value of a page of failures, FailuresPerPage at most.
func AppendSessionFailures(dst, key []byte, version uint64, all []storage.SettleFailure) []byte {
	start := len(dst)
	dst = binary.BigEndian.AppendUint64(append(dst, sessionVersion), version)
	dst = append(dst, byte(len(all)))
	for _, f := range all {
		dst = binary.BigEndian.AppendUint64(dst, f.Number)
		dst = binary.BigEndian.AppendUint64(dst, f.First)
		dst = binary.BigEndian.AppendUint64(dst, f.Last)
		dst = append(dst, f.Reason)
	}
	return seal(dst, start, key)
}

// AppendHeldBlock appends the value of a block.
func AppendHeldBlock(dst, key []byte, version uint64, b *storage.HeldBlock) []byte {
	start := len(dst)
	dst = binary.BigEndian.AppendUint64(append(dst, sessionVersion), version)
	dst = binary.BigEndian.AppendUint64(dst, b.First)
	dst = append(dst, byte(len(b.Sizes)))
	dst = binary.BigEndian.AppendUint64(dst, b.Live)
	dst = binary.BigEndian.AppendUint64(dst, b.Started)
	dst = binary.BigEndian.AppendUint64(dst, uint64(b.Until))
	dst = append(dst, byte(len(b.Runs)), bit(len(b.Keys) > 0))
	for _, r := range b.Runs {
		dst = binary.BigEndian.AppendUint16(dst, r.Partition)
		dst = binary.BigEndian.AppendUint64(dst, r.Generation)
		dst = binary.BigEndian.AppendUint64(dst, uint64(r.First))
		dst = append(dst, r.Count)
	}
	for _, size := range b.Sizes {
		dst = binary.BigEndian.AppendUint32(dst, size)
	}
	for _, k := range b.Keys {
		dst = append(binary.BigEndian.AppendUint32(dst, k.Hash), bit(k.Present))
	}
	return seal(dst, start, key)
}

func bit(set bool) byte {
	if set {
		return 1
	}
	return 0
}

// DecodeSessionPage decodes and checks a page of a session.
func DecodeSessionPage(key, value []byte) (p SessionPage, err error) {
	k, err := ParseSessionKey(key)
	if err != nil {
		return p, err
	}
	body, err := unseal(key, value, sessionVersion)
	if err != nil {
		return p, err
	}
	if len(body) < failuresHeadBytes {
		return p, damaged(key, "a page of %d bytes", len(body))
	}
	r := reader(body)
	p.Version = r.uint64()
	ok := false
	switch {
	case k.Counts():
	case k.Slot == 0:
		ok = readSession(r, &p.Record)
	case k.IsBlock():
		ok = readHeldBlock(r, k.Slot, &p.Block)
	case k.IsFailures() && k.Slot < FailureSlots+MaxFailurePages:
		ok = readSessionFailures(r, &p)
	}
	if !ok {
		return SessionPage{}, damaged(key, "a page that makes no sense")
	}
	return p, nil
}

func readSession(r reader, s *storage.SessionRecord) bool {
	if len(r) < sessionHeadBytes-8 {
		return false
	}
	s.Sent, s.Charged, s.Applied = r.uint64(), r.uint64(), r.uint64()
	return r.text(&s.ClientID, 2) && len(r) == 0 && len(s.ClientID) <= storage.MaxSessionClientBytes
}

func readSessionFailures(r reader, p *SessionPage) bool {
	n := int(r.uint8())
	if n == 0 || n > FailuresPerPage || len(r) != n*settleFailureBytes {
		return false
	}
	for range n {
		f := storage.SettleFailure{Number: r.uint64(), First: r.uint64(), Last: r.uint64(), Reason: r.uint8()}
		p.Failures = append(p.Failures, f)
	}
	return true
}

func readHeldBlock(r reader, slot uint32, b *storage.HeldBlock) bool {
	if len(r) < blockHeadBytes-8 {
		return false
	}
	b.Slot, b.First = slot, r.uint64()
	messages := int(r.uint8())
	b.Live, b.Started, b.Until = r.uint64(), r.uint64(), int64(r.uint64())
	runs, keyed := int(r.uint8()), r.uint8()
	size := runs*heldRunBytes + messages*heldSizeBytes
	if keyed == 1 {
		size += messages * heldKeyBytes
	}
	if messages == 0 || messages > storage.MaxHeldMessages || keyed > 1 || len(r) != size || b.Started&^b.Live != 0 {
		return false
	}
	if messages < storage.MaxHeldMessages && b.Live>>messages != 0 {
		return false
	}
	for range runs {
		run := storage.HeldRun{
			Partition: r.uint16(), Generation: r.uint64(), First: storage.Offset(r.uint64()), Count: r.uint8(),
		}
		messages -= int(run.Count)
		if run.Count == 0 || messages < 0 {
			return false
		}
		b.Runs = append(b.Runs, run)
	}
	return messages == 0 && readHeldMessages(r, keyed == 1, b)
}

// readHeldMessages reads the sizes and keys that a block ends with.
func readHeldMessages(r reader, keyed bool, b *storage.HeldBlock) bool {
	n := len(r) / heldSizeBytes
	if keyed {
		n = len(r) / (heldSizeBytes + heldKeyBytes)
	}
	for range n {
		b.Sizes = append(b.Sizes, r.uint32())
	}
	for range len(r) / heldKeyBytes {
		k := storage.KeyHash{Hash: r.uint32()}
		present := r.uint8()
		k.Present = present == 1
		if present > 1 || !k.Present && k.Hash != 0 {
			return false
		}
		b.Keys = append(b.Keys, k)
	}
	return true
}

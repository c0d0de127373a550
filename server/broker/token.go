package broker

import (
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// A delivery token names a pulled delivery to whoever has it: it is computed, not
// stored. In base64url without padding:
//
//	version  subscription  generation  session  sequence  secret
//	1 byte   4 bytes       8 bytes     8 bytes  8 bytes   16 bytes
//
// The secret is the session's own and unguessable, so a token cannot be made into one
// of another session, nor of a session of another run of the server.
type token struct {
	subscription storage.SubscriptionID
	generation   uint64
	session      delivery.SessionID
	sequence     uint64
	secret       sessionSecret
}

const (
	tokenVersion = 1
	secretBytes  = 16
	tokenBytes   = 1 + 4 + 3*8 + secretBytes
)

// MaxTokenBytes bounds a delivery token.
const MaxTokenBytes = 170

// sessionSecret is what a session's tokens have in common.
type sessionSecret [secretBytes]byte

func (s *sessionSecret) equals(o *sessionSecret) bool {
	return subtle.ConstantTimeCompare(s[:], o[:]) == 1
}

func (t *token) String() string {
	b := make([]byte, 0, tokenBytes)
	b = append(b, tokenVersion)
	b = binary.BigEndian.AppendUint32(b, uint32(t.subscription))
	b = binary.BigEndian.AppendUint64(b, t.generation)
	b = binary.BigEndian.AppendUint64(b, uint64(t.session))
	b = binary.BigEndian.AppendUint64(b, t.sequence)
	return base64.RawURLEncoding.EncodeToString(append(b, t.secret[:]...))
}

// parseToken reads a token; ok is false when it is none.
func parseToken(text string) (t token, ok bool) {
	if len(text) > MaxTokenBytes {
		return t, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != tokenBytes || b[0] != tokenVersion {
		return t, false
	}
	t.subscription = storage.SubscriptionID(binary.BigEndian.Uint32(b[1:]))
	t.generation = binary.BigEndian.Uint64(b[5:])
	t.session = delivery.SessionID(binary.BigEndian.Uint64(b[13:]))
	t.sequence = binary.BigEndian.Uint64(b[21:])
	copy(t.secret[:], b[29:])
	return t, true
}

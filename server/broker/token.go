package broker

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/headrace/headrace/storage"
)

// A delivery token names a pulled delivery to whoever has it: it is computed, not
// stored. In base64url without padding:
//
//	version  subscription  generation  sequence  session
//	1 byte   4 bytes       8 bytes     8 bytes   16 bytes
//
// The session is told by its secret, which is unguessable, so a token cannot be made into
// one of another session, of this run of the server or of another.
type token struct {
	subscription storage.SubscriptionID
	generation   uint64
	sequence     uint64
	session      sessionSecret
}

const (
	tokenVersion = 2
	secretBytes  = 16
	tokenBytes   = 1 + 4 + 2*8 + secretBytes
)

// MaxTokenBytes bounds a delivery token.
const MaxTokenBytes = 170

// sessionSecret is what the tokens of a session that pulls have in common.
type sessionSecret [secretBytes]byte

// newSecret makes the secret of a session that pulls.
func newSecret() (s sessionSecret) {
	_, _ = rand.Read(s[:]) // it never fails
	return s
}

// pullPrefix begins the ids of sessions that pull, and of no others.
const pullPrefix = "pull-"

// id is the id of the session.
func (s *sessionSecret) id() string { return pullPrefix + hex.EncodeToString(s[:]) }

// isPull says that an id is that of a session that pulls.
func isPull(id string) bool { return strings.HasPrefix(id, pullPrefix) }

func (t *token) String() string {
	b := make([]byte, 0, tokenBytes)
	b = append(b, tokenVersion)
	b = binary.BigEndian.AppendUint32(b, uint32(t.subscription))
	b = binary.BigEndian.AppendUint64(b, t.generation)
	b = binary.BigEndian.AppendUint64(b, t.sequence)
	return base64.RawURLEncoding.EncodeToString(append(b, t.session[:]...))
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
	t.sequence = binary.BigEndian.Uint64(b[13:])
	copy(t.session[:], b[21:])
	return t, true
}

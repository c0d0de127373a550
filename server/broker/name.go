package broker

import (
	"fmt"
	"strings"
)

const (
	// DefaultNamespace is the namespace of a name that gives none.
	DefaultNamespace = "default"
	// AllNamespaces stands for every namespace in a list request.
	AllNamespaces = "-"

	// reservedPrefix begins the names that are the server's own.
	reservedPrefix = "headrace."

	minNamePartBytes = 3
	maxNamePartBytes = 255
)

// Name is the canonical name of a topic or subscription: "namespace/name". Only
// ParseName makes one.
type Name string

// ParseName reads "name" or "namespace/name"; no namespace means "default". Each
// part matches [A-Za-z][A-Za-z0-9._~%+-]{2,254} and does not begin with
// "headrace.". Errors: ErrInvalidName.
func ParseName(text string) (Name, error) {
	namespace, base, found := strings.Cut(text, "/")
	if !found {
		namespace, base = DefaultNamespace, text
	}
	for _, part := range []string{namespace, base} {
		if err := checkNamePart(part); err != nil {
			return "", err
		}
	}
	if !found {
		return Name(DefaultNamespace + "/" + base), nil
	}
	return Name(text), nil
}

// Namespace is the part before the slash.
func (n Name) Namespace() string {
	namespace, _, _ := strings.Cut(string(n), "/")
	return namespace
}

// Base is the part after the slash.
func (n Name) Base() string {
	_, base, _ := strings.Cut(string(n), "/")
	return base
}

// checkNamePart says whether a namespace or base name is legal.
func checkNamePart(part string) error {
	switch {
	case len(part) < minNamePartBytes || len(part) > maxNamePartBytes:
		return fmt.Errorf("%w: %q has %d bytes, not %d to %d", ErrInvalidName, clip(part), len(part), minNamePartBytes, maxNamePartBytes)
	case !isLetter(part[0]):
		return fmt.Errorf("%w: %q does not begin with a letter", ErrInvalidName, part)
	case strings.HasPrefix(part, reservedPrefix):
		return fmt.Errorf("%w: %q is reserved", ErrInvalidName, part)
	}
	for i := range len(part) {
		if !isNameByte(part[i]) {
			return fmt.Errorf("%w: %q has an illegal character", ErrInvalidName, part)
		}
	}
	return nil
}

// clip keeps what a client sent short enough for a message.
func clip(text string) string {
	const maxShownBytes = 64
	if len(text) <= maxShownBytes {
		return text
	}
	return text[:maxShownBytes] + "…"
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isNameByte(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || strings.IndexByte("._~%+-", c) >= 0
}

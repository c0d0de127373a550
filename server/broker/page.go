package broker

import (
	"cmp"
	"encoding/base64"
	"slices"
)

// Page sizes of lists.
const (
	DefaultPageSize = 100
	MaxPageSize     = 1000
)

// ListRequest asks for a page of topics or subscriptions, in order of their names.
type ListRequest struct {
	// Namespace is the namespace to list; empty means DefaultNamespace,
	// AllNamespaces all.
	Namespace string
	// Topic, when set, lists subscriptions of this topic only.
	Topic Name
	// PageSize is the most to return, 1 to MaxPageSize; 0 means DefaultPageSize.
	PageSize int
	// PageToken is what came with the page before; empty for the first.
	PageToken string
}

// pageTokens writes the last name of a page so that nobody takes it for more.
var pageTokens = base64.RawURLEncoding

// page cuts what the request asks for out of all, and returns the next token.
func page[T any](request ListRequest, all []T, name func(T) Name) ([]T, string, error) {
	size, after, err := request.check()
	if err != nil {
		return nil, "", err
	}
	wanted := slices.DeleteFunc(all, func(t T) bool {
		return name(t) <= after || !request.wants(name(t))
	})
	slices.SortFunc(wanted, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
	if len(wanted) <= size {
		return wanted, "", nil
	}
	return wanted[:size], pageTokens.EncodeToString([]byte(name(wanted[size-1]))), nil
}

// check validates the request and gives the page's size and the name it begins after.
func (r ListRequest) check() (size int, after Name, err error) {
	if r.PageSize < 0 || r.PageSize > MaxPageSize {
		return 0, "", invalidField("page_size", "at most 1,000")
	}
	if r.Namespace != "" && r.Namespace != AllNamespaces && checkNamePart(r.Namespace) != nil {
		return 0, "", invalidField("namespace", "a legal name, or - for all")
	}
	decoded, err := pageTokens.DecodeString(r.PageToken)
	if err != nil {
		return 0, "", invalidField("page_token", "a token of an earlier page")
	}
	return orDefault(r.PageSize, DefaultPageSize), Name(decoded), nil
}

// wants says whether a name is in the namespace that is asked for.
func (r ListRequest) wants(name Name) bool {
	return r.Namespace == AllNamespaces || name.Namespace() == orDefault(r.Namespace, DefaultNamespace)
}

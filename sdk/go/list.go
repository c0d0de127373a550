package headrace

import "iter"

// listPageSize is how many resources one call of a list asks for.
const listPageSize = 500

// ListOption narrows a list.
type ListOption func(*listConfig)

type listConfig struct {
	namespace string
	topic     string
}

func newListConfig(opts []ListOption) listConfig {
	var c listConfig
	for _, o := range opts {
		o(&c)
	}
	return c
}

// InNamespace lists the resources of one namespace; "-" means all. One that is no legal
// name makes the list fail with [ErrInvalidField]. Default, and when it is empty: "default".
func InNamespace(namespace string) ListOption {
	return func(c *listConfig) { c.namespace = namespace }
}

// OfTopic lists the subscriptions of one topic. It has no effect on topics.
// One that is no legal name makes the list fail with [ErrInvalidName]. Default, and when it
// is empty: of all topics.
func OfTopic(name string) ListOption {
	return func(c *listConfig) { c.topic = name }
}

// pages walks a list page by page: next returns the page that a token names and
// the token of the page after it, empty on the last one.
func pages[T any](next func(token string) ([]T, string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for token := ""; ; {
			page, after, err := next(token)
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range page {
				if !yield(item, nil) {
					return
				}
			}
			if after == "" {
				return
			}
			token = after
		}
	}
}

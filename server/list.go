package server

import (
	"math"

	"google.golang.org/protobuf/proto"

	"github.com/headrace/headrace/server/broker"
)

// pageRequest is what the list requests have in common.
type pageRequest interface {
	GetNamespace() string
	GetPageSize() uint32
	GetPageToken() string
}

// listRequest reads a request for a page; the broker checks its bounds.
func listRequest(r pageRequest) (broker.ListRequest, error) {
	if r.GetPageSize() > math.MaxInt32 {
		return broker.ListRequest{}, invalidField("page_size", "at most 1,000")
	}
	return broker.ListRequest{
		Namespace: r.GetNamespace(),
		PageSize:  int(r.GetPageSize()),
		PageToken: r.GetPageToken(),
	}, nil
}

// fitPage takes a page, and shorter ones until it fits every client.
func fitPage[P proto.Message](r broker.ListRequest, list func(broker.ListRequest) (P, error)) (P, error) {
	for {
		page, err := list(r)
		if err != nil || fits(page) || r.PageSize == 1 {
			return page, err
		}
		if r.PageSize == 0 {
			r.PageSize = broker.DefaultPageSize
		}
		r.PageSize = max(1, r.PageSize/2)
	}
}

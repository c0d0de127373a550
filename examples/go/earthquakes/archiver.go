package main

import (
	"context"

	"github.com/headrace/headrace/sdk/go"
)

// runArchiver writes every event as it was published. Its subscription is
// exclusive and its handler runs one event at a time, so the file has the order
// of the topic.
func runArchiver(ctx context.Context, s settings) error {
	return serve(ctx, s, func(_ context.Context, d *headrace.Delivery, out *lines) error {
		return out.write(d)
	})
}

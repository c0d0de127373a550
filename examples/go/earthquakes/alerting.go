package main

import (
	"context"
	"fmt"

	"github.com/headrace/headrace/sdk/go"
)

// alertMagnitude is from which magnitude on people are told.
const alertMagnitude = 4

// runAlerting prints a line for each strong event.
func runAlerting(ctx context.Context, s settings) error {
	return serve(ctx, s, func(_ context.Context, d *headrace.Delivery, out *lines) error {
		e, err := parseEvent(d.Data)
		if err != nil {
			return err // it comes again, after the subscription's backoff
		}
		if e.Magnitude >= alertMagnitude {
			fmt.Printf("magnitude %.1f: %s\n", e.Magnitude, e.Place)
		}
		return out.write(d)
	})
}

package cli

import (
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// retentionFlags say how long a topic keeps its messages.
type retentionFlags struct {
	minAge, maxAge time.Duration
	keep           time.Duration
	maxBytes       config.Bytes
}

func (f *retentionFlags) add(c *cobra.Command) {
	c.Flags().DurationVar(&f.minAge, "min-age", 0, "no message younger than this is removed, but for --max-bytes (server's default: 10m)")
	c.Flags().DurationVar(&f.maxAge, "max-age", 0, "what is older is removed, settled or not; 0: never")
	c.Flags().DurationVar(&f.keep, "keep-settled", 0, "what is settled is kept this long for replay (server's default: 0)")
	c.Flags().Var(&f.maxBytes, "max-bytes", "the oldest messages are removed, settled or not, while the topic holds more; 0: any number")
}

// apply sets what was given on the command line and returns the names of those fields.
func (f *retentionFlags) apply(c *cobra.Command, t *headracev1.Topic) (fields []string) {
	r := &headracev1.Retention{}
	if c.Flags().Changed("min-age") {
		r.MinAge = durationpb.New(f.minAge)
		fields = append(fields, "retention.min_age")
	}
	if c.Flags().Changed("max-age") {
		r.MaxAge = durationpb.New(f.maxAge)
		fields = append(fields, "retention.max_age")
	}
	if c.Flags().Changed("max-bytes") {
		r.MaxBytes = uint64(f.maxBytes)
		fields = append(fields, "retention.max_bytes")
	}
	if c.Flags().Changed("keep-settled") {
		r.KeepSettled = durationpb.New(f.keep)
		fields = append(fields, "retention.keep_settled")
	}
	if len(fields) > 0 {
		t.Retention = r
	}
	return fields
}

package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// capFlags are the bounds on deliveries of a subscription.
type capFlags struct {
	messageRate float64
	byteRate    config.Bytes
	concurrency uint64
}

func (f *capFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.Float64Var(&f.messageRate, "max-rate", 0, "the most messages delivered a second; 0: no bound")
	flags.Var(&f.byteRate, "max-byte-rate", "the most bytes delivered a second; 0: no bound")
	flags.Uint64Var(&f.concurrency, "max-concurrency", 0, "the most messages delivered and not settled; 0: no bound")
}

// apply sets what was given on the command line and returns the names of those fields.
func (f *capFlags) apply(c *cobra.Command, s *headracev1.Subscription) (fields []string) {
	rates := &headracev1.DispatchCap{
		MessagesPerSecond: f.messageRate, BytesPerSecond: float64(f.byteRate), Concurrency: f.concurrency,
	}
	for _, field := range [][2]string{
		{"max-rate", "messages_per_second"}, {"max-byte-rate", "bytes_per_second"}, {"max-concurrency", "concurrency"},
	} {
		if c.Flags().Changed(field[0]) {
			s.DispatchCap = rates
			fields = append(fields, "dispatch_cap."+field[1])
		}
	}
	return fields
}

// capView are the bounds on deliveries as the command line shows them.
type capView struct {
	MaxMessagesPerSecond float64 `json:"max_messages_per_second,omitempty"`
	MaxBytesPerSecond    float64 `json:"max_bytes_per_second,omitempty"`
	MaxConcurrency       uint64  `json:"max_concurrency,omitempty"`
}

func viewCap(c *headracev1.DispatchCap) capView {
	return capView{
		MaxMessagesPerSecond: c.GetMessagesPerSecond(), MaxBytesPerSecond: c.GetBytesPerSecond(), MaxConcurrency: c.GetConcurrency(),
	}
}

// capText writes the bounds that there are.
func (v capView) capText() string {
	var parts []string
	if v.MaxMessagesPerSecond > 0 {
		parts = append(parts, strconv.FormatFloat(v.MaxMessagesPerSecond, 'g', -1, 64)+"/s")
	}
	if v.MaxBytesPerSecond > 0 {
		parts = append(parts, output.Size(uint64(v.MaxBytesPerSecond))+"/s")
	}
	if v.MaxConcurrency > 0 {
		parts = append(parts, output.Count(v.MaxConcurrency)+" at once")
	}
	return strings.Join(parts, ", ")
}

package config

import (
	"fmt"
	"strconv"
	"strings"
)

// noBatches is how an empty list of batches is written.
const noBatches = "none"

// BatchRange is a run of batches of a store, both ends included.
type BatchRange struct{ First, Last uint64 }

// BatchRanges are runs of batches in order. They are written as first-last, several
// with commas between: "5197-5210,5300-5300".
type BatchRanges struct{ List []BatchRange }

// String writes the runs as Set reads them.
func (b BatchRanges) String() string {
	if len(b.List) == 0 {
		return noBatches
	}
	texts := make([]string, len(b.List))
	for i, r := range b.List {
		texts[i] = fmt.Sprintf("%d-%d", r.First, r.Last)
	}
	return strings.Join(texts, ",")
}

// Set reads runs of batches, so that BatchRanges can be a flag.
func (b *BatchRanges) Set(text string) error {
	b.List = nil
	if text == noBatches {
		return nil
	}
	end := uint64(0)
	for part := range strings.SplitSeq(text, ",") {
		first, last, found := strings.Cut(strings.TrimSpace(part), "-")
		low, lowErr := strconv.ParseUint(first, 10, 64)
		high, highErr := strconv.ParseUint(last, 10, 64)
		if !found || lowErr != nil || highErr != nil || low <= end || low > high {
			return fmt.Errorf("%q does not name batches; write them in order, as in 5197-5210 or 5197-5210,5300-5300", text)
		}
		b.List, end = append(b.List, BatchRange{low, high}), high
	}
	return nil
}

// Type names the flag's value in help texts.
func (b *BatchRanges) Type() string { return "first-last" }

// UnmarshalText reads runs of batches from a file or the environment.
func (b *BatchRanges) UnmarshalText(text []byte) error { return b.Set(string(text)) }

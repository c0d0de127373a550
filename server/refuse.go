package server

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/headrace/headrace/server/broker"
)

// maxShownBytes bounds what of a client's own text is told back to it.
const maxShownBytes = 64

func invalidField(field, limit string) error {
	return &refusal{reason: reasonInvalidField, field: field, limit: limit, text: field + ": " + limit}
}

func notServed(field string) error {
	return &refusal{reason: reasonNotServed, field: field, text: field + " is not served yet"}
}

func frameOrder(text string) error { return &refusal{reason: reasonFrameOrder, text: text} }

func tooManyRanges(field string, n int) error {
	return &refusal{
		reason: reasonTooManyRanges, field: field,
		limit: strconv.Itoa(broker.MaxRanges), value: strconv.Itoa(n),
		text: fmt.Sprintf("a frame names %d ranges, more than %d", n, broker.MaxRanges),
	}
}

func batchSize(field string, limit, value int) error {
	return &refusal{
		reason: reasonBatchSize, field: field,
		limit: strconv.Itoa(limit), value: strconv.Itoa(value),
		text: fmt.Sprintf("a batch has 1 to %d %s, this one %d", limit, field, value),
	}
}

func sequenceGap(topic string, want, got uint64) error {
	return &refusal{
		reason: reasonPublishSequenceGap, field: "first_sequence",
		limit: strconv.FormatUint(want, 10), value: strconv.FormatUint(got, 10),
		text: fmt.Sprintf("the next publish sequence of %q is %d, not %d", clip(topic), want, got),
	}
}

// parseName reads the name in a field of a request.
func parseName(field, text string) (broker.Name, error) {
	name, err := broker.ParseName(text)
	if err != nil {
		return "", &refusal{
			reason: reasonInvalidName, field: field, value: clip(text),
			text: fmt.Sprintf("%s: %q is not a legal name", field, clip(text)),
		}
	}
	return name, nil
}

// clip keeps what a client sent short enough to be told back.
func clip(text string) string {
	if len(text) <= maxShownBytes {
		return text
	}
	return strings.ToValidUTF8(text[:maxShownBytes], "") + "…"
}

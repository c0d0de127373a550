package server

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

const (
	minLease = time.Second
	maxLease = 12 * time.Hour
	// maxDelay bounds a retry's own delay and the grace of a drain.
	maxDelay = 12 * time.Hour
	// defaultGrace is the grace of a drain that names none.
	defaultGrace = 30 * time.Second

	maxClientIDBytes = 255

	minFrameBytes = 4 << 10
	maxFrameBytes = 64 << 20
	// stockFrameBytes is what a gRPC client accepts that nobody configured, with
	// room to spare: the most that an answer of a unary call has.
	stockFrameBytes = 4<<20 - 64<<10
)

// duration reads an optional duration of a request: fallback when it is not set.
func duration(field string, d *durationpb.Duration, low, high, fallback time.Duration) (time.Duration, error) {
	if d == nil {
		return fallback, nil
	}
	if d.CheckValid() != nil || d.AsDuration() < low || d.AsDuration() > high {
		return 0, invalidField(field, fmt.Sprintf("%v to %v", low, high))
	}
	return d.AsDuration(), nil
}

// checkClientID bounds the name that a client gives itself.
func checkClientID(id string) error {
	if len(id) > maxClientIDBytes {
		return invalidField("client_id", fmt.Sprintf("at most %d bytes", maxClientIDBytes))
	}
	return nil
}

// checkLabels bounds the labels of a session; those of a topic or subscription
// are the broker's business.
func checkLabels(labels map[string]string) error {
	if len(labels) > broker.MaxLabels {
		return invalidField("labels", fmt.Sprintf("at most %d", broker.MaxLabels))
	}
	for key, value := range labels {
		if key == "" || len(key) > broker.MaxLabelKeyBytes || len(value) > broker.MaxLabelValueBytes {
			return invalidField("labels", fmt.Sprintf("a key of 1 to %d bytes, a value of at most %d",
				broker.MaxLabelKeyBytes, broker.MaxLabelValueBytes))
		}
	}
	return nil
}

// sequenceRanges reads the ranges of a settle or extend.
func sequenceRanges(in []*headracev1.SequenceRange) ([]broker.SequenceRange, error) {
	if len(in) == 0 {
		return nil, invalidField("ranges", "at least 1")
	}
	return anyRanges("ranges", in)
}

// anyRanges reads the ranges in a field, none included.
func anyRanges(field string, in []*headracev1.SequenceRange) ([]broker.SequenceRange, error) {
	if len(in) > broker.MaxRanges {
		return nil, tooManyRanges(field, len(in))
	}
	out := make([]broker.SequenceRange, len(in))
	for i, r := range in {
		if r.GetFirst() < 1 || r.GetLast() < r.GetFirst() {
			return nil, invalidField(field, "first at least 1, last at least first")
		}
		out[i] = broker.SequenceRange{First: r.GetFirst(), Last: r.GetLast()}
	}
	return out, nil
}

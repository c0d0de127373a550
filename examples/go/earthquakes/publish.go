package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/headrace/headrace/sdk/go"
)

// publish sends every line of the input without waiting for the one before, then
// waits for all results, and returns how long each took.
func publish(ctx context.Context, topic *headrace.Topic, input []byte) ([]time.Duration, error) {
	type flight struct {
		result *headrace.PublishResult
		sent   time.Time
	}
	// The results are waited for while the rest is being sent, so that each is
	// timed when it comes. The channel holds all: sending never waits for it.
	flights := make(chan flight, bytes.Count(input, newline))
	type outcome struct {
		took []time.Duration
		err  error
	}
	done := make(chan outcome, 1) // one outcome
	go func() {
		var o outcome
		for f := range flights {
			if _, err := f.result.Get(ctx); err != nil && o.err == nil {
				o.err = fmt.Errorf("publishing: %w", err)
			}
			o.took = append(o.took, time.Since(f.sent))
		}
		done <- o
	}()
	err := sendAll(input, func(line []byte, e event) {
		now := time.Now()
		flights <- flight{topic.PublishAsync(ctx, headrace.Message{
			Data:        line,
			OrderingKey: e.Network,
			ContentType: "application/json",
			Attributes:  map[string]string{sentAttribute: strconv.FormatInt(now.UnixNano(), 10)},
		}), now}
	})
	close(flights)
	o := <-done
	if err != nil {
		return nil, err
	}
	return o.took, o.err
}

// sendAll calls send with each line and what it says.
func sendAll(input []byte, send func(line []byte, e event)) error {
	for i, line := range splitLines(input) {
		e, err := parseEvent(line)
		if err != nil {
			return fmt.Errorf("line %d of the input: %w", i+1, err)
		}
		send(line, e)
	}
	return nil
}

var newline = []byte("\n")

// splitLines cuts text into lines without their ends. What stands behind the
// last end is no line.
func splitLines(text []byte) [][]byte {
	lines := bytes.Split(text, newline)
	return lines[:len(lines)-1]
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// outcome is everything that the demo checks and shows.
type outcome struct {
	// input are the events published, a line each.
	input [][]byte
	// publishTook is how long each publish took until its result.
	publishTook []time.Duration
	// subs are the subscriptions in the order of the table.
	subs []subOutcome
	// alerts is what the alerting service printed.
	alerts [][]byte
}

// subOutcome is one subscription's part of it.
type subOutcome struct {
	name string
	// services are those that received from it.
	services cast
	// published is the topic's count; the rest are the subscription's.
	published, delivered, redelivered, acked, backlog uint64
	// files are the lines of its services, a file each, in their order.
	files [][][]byte
	// deliveryTook is how long each first delivery took, from publish to handler.
	deliveryTook []time.Duration
}

// readStats asks the server for its figures.
func (d *demo) readStats(ctx context.Context, o *outcome) error {
	topic, err := d.client.Topics().Stats(ctx, topicName)
	if err != nil {
		return err
	}
	stats, err := d.stats(ctx)
	if err != nil {
		return err
	}
	for _, name := range d.cast.subscriptions() {
		s := stats[name]
		o.subs = append(o.subs, subOutcome{
			name:        name,
			services:    d.cast.of(name),
			published:   topic.GetPublished().GetMessages(),
			delivered:   s.GetDelivered(),
			redelivered: s.GetRedelivered(),
			acked:       s.GetAcked(),
			backlog:     s.GetBacklog().GetMessages(),
		})
	}
	return nil
}

// readFiles reads what the services wrote.
func (d *demo) readFiles(o *outcome) error {
	o.input = splitLines(d.input)
	printed, err := os.ReadFile(filepath.Join(d.dir, "alerting.out"))
	if err != nil {
		return err
	}
	o.alerts = splitLines(printed)
	for i := range o.subs {
		sub := &o.subs[i]
		for _, r := range sub.services {
			events, err := os.ReadFile(filepath.Join(d.dir, r.name+".jsonl"))
			if err != nil {
				return err
			}
			sub.files = append(sub.files, splitLines(events))
			took, err := readLatencies(filepath.Join(d.dir, r.name+".latencies"))
			if err != nil {
				return err
			}
			sub.deliveryTook = append(sub.deliveryTook, took...)
		}
	}
	return nil
}

func readLatencies(path string) ([]time.Duration, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var took []time.Duration
	for line := range bytes.Lines(text) {
		us, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		took = append(took, time.Duration(us)*time.Microsecond)
	}
	return took, nil
}

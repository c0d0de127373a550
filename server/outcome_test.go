package server

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
)

func TestOutcomesOfBatches(t *testing.T) {
	tooLarge := wire.Failure{Reason: reasonMessageTooLarge, Limit: 9}
	type batch struct {
		runs    []broker.PublishedRun
		err     error
		first   uint64
		count   int
		refused []refusedMessage
	}
	for name, c := range map[string]struct {
		batches  []batch
		runs     []*headracev1.PublishedRun
		failures []*headracev1.PublishFailure
	}{
		"batches that touch are one run": {
			batches: []batch{
				{runs: []broker.PublishedRun{{Offset: 5, Count: 2}}, first: 1, count: 2},
				{runs: []broker.PublishedRun{{Offset: 7, Count: 3}}, first: 3, count: 3},
			},
			runs: []*headracev1.PublishedRun{{FirstSequence: 1, FirstOffset: 5, Count: 5}},
		},
		"another stream in between": {
			batches: []batch{
				{runs: []broker.PublishedRun{{Offset: 5, Count: 2}}, first: 1, count: 2},
				{runs: []broker.PublishedRun{{Offset: 8, Count: 1}}, first: 3, count: 1},
			},
			runs: []*headracev1.PublishedRun{{FirstSequence: 1, FirstOffset: 5, Count: 2}, {FirstSequence: 3, FirstOffset: 8, Count: 1}},
		},
		"several partitions": {
			batches: []batch{{runs: []broker.PublishedRun{
				{Partition: 1, Offset: 0, Count: 1}, {Index: 1, Partition: 2, Offset: 1, Count: 1}, {Index: 2, Partition: 1, Offset: 1, Count: 1},
			}, first: 1, count: 3}},
			runs: []*headracev1.PublishedRun{
				{FirstSequence: 1, Partition: 1, Count: 1},
				{FirstSequence: 2, Partition: 2, FirstOffset: 1, Count: 1},
				{FirstSequence: 3, Partition: 1, FirstOffset: 1, Count: 1},
			},
		},
		"refused messages cut runs": {
			batches: []batch{{
				runs: []broker.PublishedRun{{Offset: 10, Count: 4}}, first: 1, count: 8,
				refused: []refusedMessage{{0, tooLarge}, {3, tooLarge}, {4, tooLarge}, {7, tooLarge}},
			}},
			runs: []*headracev1.PublishedRun{
				{FirstSequence: 2, FirstOffset: 10, Count: 2}, {FirstSequence: 6, FirstOffset: 12, Count: 2},
			},
			failures: []*headracev1.PublishFailure{
				{FirstSequence: 1, Count: 1, Reason: reasonMessageTooLarge, Limit: 9},
				{FirstSequence: 4, Count: 2, Reason: reasonMessageTooLarge, Limit: 9},
				{FirstSequence: 8, Count: 1, Reason: reasonMessageTooLarge, Limit: 9},
			},
		},
		"a batch that failed keeps the reasons of single messages": {
			batches: []batch{{err: broker.ErrDiskFull, first: 1, count: 4, refused: []refusedMessage{{1, tooLarge}}}},
			failures: []*headracev1.PublishFailure{
				{FirstSequence: 1, Count: 1, Reason: reasonDiskFull},
				{FirstSequence: 2, Count: 1, Reason: reasonMessageTooLarge, Limit: 9},
				{FirstSequence: 3, Count: 2, Reason: reasonDiskFull},
			},
		},
		"failures that touch are one": {
			batches: []batch{
				{err: broker.ErrTopicDeleted, first: 1, count: 2},
				{err: broker.ErrTopicDeleted, first: 3, count: 2},
			},
			failures: []*headracev1.PublishFailure{{FirstSequence: 1, Count: 4, Reason: reasonTopicDeleted}},
		},
		"an error that nobody mapped": {
			batches:  []batch{{err: errors.New("secret"), first: 1, count: 1}},
			failures: []*headracev1.PublishFailure{{FirstSequence: 1, Count: 1, Reason: reasonInternal}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var o outcome
			for _, b := range c.batches {
				o.add(&broker.PublishBatch{Runs: b.runs, Err: b.err}, b.first, b.count, b.refused)
			}
			if diff := cmp.Diff(c.runs, o.runs, protocmp.Transform()); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.failures, o.failures, protocmp.Transform()); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
		})
	}
}

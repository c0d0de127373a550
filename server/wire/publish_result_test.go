package wire

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

func TestAResultFrameIsWhatStandardMarshalGives(t *testing.T) {
	run := &headracev1.PublishedRun{FirstSequence: 1 << 40, Partition: 255, FirstOffset: 1 << 60, Count: 1 << 31, Duplicate: true}
	failure := &headracev1.PublishFailure{
		FirstSequence: 7, Count: 3, Reason: headracev1.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE, Field: "data", Limit: 1 << 20,
	}
	for name, frame := range map[string]*ResultFrame{
		"empty":       {},
		"one message": {Topic: "orders", Through: 1, Runs: []*headracev1.PublishedRun{{FirstSequence: 1, Count: 1}}, Durability: 1},
		"everything": {
			Topic: "shop/orders", Through: 1 << 41, Durability: headracev1.Durability_DURABILITY_BUFFERED,
			Runs:     []*headracev1.PublishedRun{run, {}, run},
			Failures: []*headracev1.PublishFailure{failure, {}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := &headracev1.PublishStreamResponse{Frame: &headracev1.PublishStreamResponse_PublishResult_{
				PublishResult: &headracev1.PublishStreamResponse_PublishResult{
					Topic: frame.Topic, ThroughSequence: frame.Through, Runs: frame.Runs, Failures: frame.Failures, Durability: frame.Durability,
				},
			}}
			slice, err := frame.marshal(NewPool())
			if err != nil {
				t.Fatal(err)
			}
			var got headracev1.PublishStreamResponse
			if err := proto.Unmarshal(slice.Materialize(), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, &got, protocmp.Transform()); diff != "" {
				t.Errorf("frame (-want +got):\n%s", diff)
			}
			if len(slice.Materialize()) != proto.Size(want) {
				t.Errorf("%d bytes, standard marshal gives %d", slice.Len(), proto.Size(want))
			}
		})
	}
}

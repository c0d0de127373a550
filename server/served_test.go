package server

import (
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/wire"
)

// notServedRequests sets each field and value that the contract has and this
// server does not serve, and nothing else.
var notServedRequests = map[string]proto.Message{
	"SubscribeRequest.Open.partitions": subscribeOpenFrame(&headracev1.SubscribeRequest_Open{Partitions: []uint32{0}}),

	"Topic.spread":          &headracev1.Topic{Spread: true},
	"DURABILITY_REPLICATED": &headracev1.Topic{Durability: headracev1.Durability_DURABILITY_REPLICATED},

	"Subscription.filter": &headracev1.Subscription{Filter: "f"},

	"Message.deliver_at": &headracev1.Message{DeliverAt: &timestamppb.Timestamp{}},
	"Message.delay":      &headracev1.Message{Delay: durationpb.New(0)},
	"Message.ttl":        &headracev1.Message{Ttl: durationpb.New(0)},
}

func TestWhatTheContractCallsNotServedIsRefused(t *testing.T) {
	files, err := os.ReadDir(contractDir)
	if err != nil {
		t.Fatal(err)
	}
	var marked []string
	for _, file := range files {
		for _, e := range readContract(t, file.Name()) {
			if strings.Contains(e.comment, "Not served yet: NOT_SERVED") {
				marked = append(marked, e.name)
			}
		}
	}
	for _, name := range marked {
		request, ok := notServedRequests[name]
		switch {
		case !ok:
			t.Errorf("%s is not served, and no request here shows that it is refused", name)
		case !isRefusedAsNotServed(t, request):
			t.Errorf("%s is not refused with NOT_SERVED", name)
		}
	}
	for name := range notServedRequests {
		if !slices.Contains(marked, name) {
			t.Errorf("%s is refused here, and the contract does not say so", name)
		}
	}
}

func isRefusedAsNotServed(t *testing.T, request proto.Message) bool {
	t.Helper()
	if m, ok := request.(*headracev1.Message); ok {
		body, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		w := wire.Walker{Limits: wire.DefaultLimits()}
		_, failure := w.Walk(body)
		return failure.Reason == reasonNotServed
	}
	reason, _ := reasonOf(checkServed(request))
	return reason == reasonNotServed
}

func TestTheTablesOfWhatIsNotServedNameTheContract(t *testing.T) {
	for name := range notServedFields {
		if findField(name) == nil {
			t.Errorf("no field %s in the contract", name)
		}
	}
	for name := range notServedValues {
		if findValue(name) == nil {
			t.Errorf("no value %s in the contract", name)
		}
	}
	for name := range openEnums {
		if fd := findField(name); fd == nil || fd.Enum() == nil {
			t.Errorf("no enum field %s in the contract", name)
		}
	}
}

func TestNumbersThatNoEnumHasAreRefused(t *testing.T) {
	for name, request := range map[string]proto.Message{
		"topic.durability": &headracev1.Topic{Durability: 99},
		"subscription":     &headracev1.Subscription{Mode: 99},
		"verdict":          settleFrame(&headracev1.SubscribeRequest_Settle{Verdict: 99}),
		"replenish":        subscribeOpenFrame(&headracev1.SubscribeRequest_Open{Replenish: 99}),
	} {
		if reason, _ := reasonOf(checkServed(request)); reason != reasonInvalidField {
			t.Errorf("%s: %v, want INVALID_FIELD", name, checkServed(request))
		}
	}
}

func TestWhatIsServedPasses(t *testing.T) {
	for name, request := range map[string]proto.Message{
		"zero attempts, written out":   &headracev1.Subscription{Retry: &headracev1.RetryPolicy{MaxAttempts: proto.Uint32(0)}},
		"a feature from the future":    subscribeOpenFrame(&headracev1.SubscribeRequest_Open{Features: []headracev1.Feature{99}}),
		"every feature that there is":  subscribeOpenFrame(&headracev1.SubscribeRequest_Open{Features: []headracev1.Feature{1, 2, 3, 4, 5}}),
		"a field that nobody knows":    withUnknown(&headracev1.Topic{}),
		"nothing":                      (*headracev1.Topic)(nil),
		"a settle with all its ranges": settleFrame(&headracev1.SubscribeRequest_Settle{Ranges: make([]*headracev1.SequenceRange, 3)}),
	} {
		if err := checkServed(request); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func withUnknown(m proto.Message) proto.Message {
	m.ProtoReflect().SetUnknown(protoreflect.RawFields{0xf8, 0x3f, 0x01})
	return m
}

func subscribeOpenFrame(o *headracev1.SubscribeRequest_Open) *headracev1.SubscribeRequest {
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Open_{Open: o}}
}

func settleFrame(s *headracev1.SubscribeRequest_Settle) *headracev1.SubscribeRequest {
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Settle_{Settle: s}}
}

// contractFiles are the files that the tables may name.
var contractFiles = []protoreflect.FileDescriptor{
	headracev1.File_headrace_v1_message_proto,
	headracev1.File_headrace_v1_publisher_service_proto,
	headracev1.File_headrace_v1_subscriber_service_proto,
	headracev1.File_headrace_v1_subscription_proto,
	headracev1.File_headrace_v1_topic_proto,
}

func findField(name protoreflect.FullName) protoreflect.FieldDescriptor {
	for _, f := range contractFiles {
		if fd := fieldIn(f.Messages(), name); fd != nil {
			return fd
		}
	}
	return nil
}

func fieldIn(messages protoreflect.MessageDescriptors, name protoreflect.FullName) protoreflect.FieldDescriptor {
	for i := range messages.Len() {
		m := messages.Get(i)
		if m.FullName() == name.Parent() {
			return m.Fields().ByName(name.Name())
		}
		if fd := fieldIn(m.Messages(), name); fd != nil {
			return fd
		}
	}
	return nil
}

func findValue(name protoreflect.FullName) protoreflect.EnumValueDescriptor {
	for _, f := range contractFiles {
		for i := range f.Enums().Len() {
			if v := f.Enums().Get(i).Values().ByName(name.Name()); v != nil {
				return v
			}
		}
	}
	return nil
}

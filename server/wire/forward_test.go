package wire

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// TestACopySaysWhereItCameFromAndIsElseWhatItWas: it has no id of its own, its older
// origin goes, and unknown fields, key and times stay.
func TestACopySaysWhereItCameFromAndIsElseWhatItWas(t *testing.T) {
	published := &headracev1.Message{
		Data: []byte("body"), OrderingKey: "k", DedupeId: "d", ContentType: "text/plain",
		Attributes: map[string]string{"a": "b", "from.topic": "older", "from": "is the publisher's"},
	}
	published.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 999, protowire.VarintType), 7))
	stored := published
	stored.MessageId, stored.PublishTime = "3-14", &timestamppb.Timestamp{Seconds: 1, Nanos: 2}
	message, size := Copy(protowire.AppendBytes([]byte{tagMessages}, mustMarshal(t, stored)), "from.",
		Attribute{"from.topic", "orders"}, Attribute{"from.reason", strings.Repeat("ü", 500)}, Attribute{"from.none", ""})
	want := proto.Clone(stored).(*headracev1.Message)
	want.MessageId = ""
	want.Attributes = map[string]string{
		"a": "b", "from": "is the publisher's", "from.topic": "orders", "from.reason": strings.Repeat("ü", 500), "from.none": "",
	}
	if diff := cmp.Diff(want, parseStored(t, message), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	delete(published.GetAttributes(), "from.topic")
	published.MessageId, published.PublishTime = "", nil
	if want := len(mustMarshal(t, published)); size != want {
		t.Errorf("the size is %d, want %d", size, want)
	}
	// As a publisher would, who sends it on.
	w := Walker{Limits: DefaultLimits()}
	if _, failure := w.Walk(StoredMessage(message)); !failure.OK() {
		t.Errorf("a copy is refused: %+v", failure)
	}
}

func TestAnEmptyMessageHasACopy(t *testing.T) {
	message, size := Copy([]byte{tagMessages, 0}, "from.")
	if got := parseStored(t, message); size != 0 || proto.Size(got) != 0 || len(message) != 2 {
		t.Errorf("%x, %v of size %d", message, got, size)
	}
}

func TestTheIDThatAMessageCarries(t *testing.T) {
	stored := protowire.AppendBytes([]byte{tagMessages}, mustMarshal(t, &headracev1.Message{Data: []byte("x")}))
	if id := MessageID(stored); id != "" {
		t.Errorf("%q of none", id)
	}
	if id := MessageID(WithMessageID(stored, "3-14")); id != "3-14" {
		t.Errorf("%q", id)
	}
}

package wire

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// TestAMessageThatTakesADetourKeepsItsID: what carries no id gets that of its position,
// once; all else stays as it is, unknown fields too.
func TestAMessageThatTakesADetourKeepsItsID(t *testing.T) {
	message := &headracev1.Message{Data: []byte("body"), OrderingKey: "k"}
	body, err := proto.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	body = protowire.AppendVarint(protowire.AppendTag(body, 999, protowire.VarintType), 7)
	stored := protowire.AppendBytes([]byte{tagMessages}, body)
	first := WithMessageID(stored, "3-14")
	second := WithMessageID(first, "65535-0")
	for _, again := range [][]byte{first, second} {
		var got headracev1.Message
		if err := proto.Unmarshal(StoredMessage(again), &got); err != nil {
			t.Fatal(err)
		}
		if got.GetMessageId() != "3-14" || string(got.GetData()) != "body" || len(got.ProtoReflect().GetUnknown()) == 0 {
			t.Errorf("got %v", &got)
		}
	}
	if StoredMessage([]byte{0x08, 1}) != nil || StoredMessage(stored[:len(stored)-1]) != nil {
		t.Error("what is no message is taken for one")
	}
}

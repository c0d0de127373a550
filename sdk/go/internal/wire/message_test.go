package wire

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"
)

var messages = map[string]Message{
	"empty": {},
	"data":  {Data: []byte("hello")},
	"all": {
		Data: bytes.Repeat([]byte{0xff}, 300), OrderingKey: "key", ContentType: "text/plain",
		Attributes: map[string]string{"a": "1", "b": "", "": "nameless", "nul\x00": "\x00ü"},
	},
	"long attribute": {Attributes: map[string]string{"k": string(bytes.Repeat([]byte("v"), 1000))}},
}

func TestAnEncodedMessageIsWhatTheGeneratedCodeReads(t *testing.T) {
	for name, m := range messages {
		t.Run(name, func(t *testing.T) {
			body := AppendMessage(nil, &m, m.Size())
			if framed := FramedSize(m.Size()); framed != len(body) {
				t.Errorf("FramedSize = %d, body has %d", framed, len(body))
			}
			var batch headracev1.PublishRequest // its messages have field 15 too.
			if err := proto.Unmarshal(body, &batch); err != nil {
				t.Fatal(err)
			}
			want := &headracev1.Message{
				Data: m.Data, Attributes: m.Attributes, OrderingKey: m.OrderingKey, ContentType: m.ContentType,
			}
			if diff := cmp.Diff([]*headracev1.Message{want}, batch.GetMessages(), protocmp.Transform()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInvalidTextNamesTheField(t *testing.T) {
	bad := string([]byte{0xff})
	for want, m := range map[string]Message{
		"":             {OrderingKey: "ü", Attributes: map[string]string{"ü": "\x00"}},
		"ordering_key": {OrderingKey: bad},
		"content_type": {ContentType: bad},
		"attributes":   {Attributes: map[string]string{bad: "v"}},
	} {
		if got := m.InvalidText(); got != want {
			t.Errorf("InvalidText = %q, want %q", got, want)
		}
	}
	if got := (&Message{Attributes: map[string]string{"k": bad}}).InvalidText(); got != "attributes" {
		t.Errorf("InvalidText = %q", got)
	}
}

func TestCutBodyFindsTheBoundaries(t *testing.T) {
	var body []byte
	var framed, encoded []int
	for _, n := range []int{0, 1, 127, 128, 20_000} {
		m := Message{Data: make([]byte, n)}
		body = AppendMessage(body, &m, m.Size())
		framed = append(framed, len(body))
		total := m.Size()
		if len(encoded) > 0 {
			total += encoded[len(encoded)-1]
		}
		encoded = append(encoded, total)
	}
	for i := range framed {
		f, e := CutBody(body, i+1)
		if f != framed[i] || e != encoded[i] {
			t.Errorf("CutBody(%d) = %d, %d, want %d, %d", i+1, f, e, framed[i], encoded[i])
		}
	}
}

func TestAPublishFrameIsWhatTheGeneratedCodeReads(t *testing.T) {
	m := Message{Data: []byte("x")}
	body := AppendMessage(AppendMessage(nil, &m, m.Size()), &m, m.Size())
	for _, oneWay := range []bool{false, true} {
		frame := &PublishFrame{
			Header: AppendPublishHeader(nil, "default/orders", 300, oneWay, len(body)),
			Body:   mem.SliceBuffer(body),
		}
		encoded, err := Codec{}.Marshal(frame)
		if err != nil {
			t.Fatal(err)
		}
		var got headracev1.PublishStreamRequest
		if err := proto.Unmarshal(encoded.Materialize(), &got); err != nil {
			t.Fatal(err)
		}
		message := &headracev1.Message{Data: []byte("x")}
		want := &headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_PublishBatch_{
			PublishBatch: &headracev1.PublishStreamRequest_PublishBatch{
				Topic: "default/orders", FirstSequence: 300, OneWay: oneWay,
				Messages: []*headracev1.Message{message, message},
			},
		}}
		if diff := cmp.Diff(want, &got, protocmp.Transform()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAMessageParsesToWhatWasStored(t *testing.T) {
	stored := &headracev1.Message{
		Data: []byte("d"), Attributes: map[string]string{"a": "1"}, MessageId: "id", OrderingKey: "k",
		ContentType: "c", PublishTime: timestamppb.New(time.Unix(1_700_000_000, 5).UTC()), DedupeId: "unknown here",
	}
	raw, err := proto.Marshal(stored)
	if err != nil {
		t.Fatal(err)
	}
	var got Message
	if err := ParseMessage(raw, &got); err != nil {
		t.Fatal(err)
	}
	want := Message{
		Data: []byte("d"), Attributes: map[string]string{"a": "1"}, MessageID: "id", OrderingKey: "k",
		ContentType: "c", PublishTime: time.Unix(1_700_000_000, 5).UTC(),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

package wire

import (
	"bytes"
	"errors"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

func TestPublishFramesAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		frame *headracev1.PublishStreamRequest
		kind  PublishKind
	}{
		"open":      {openFrame("client"), PublishOpen},
		"batch":     {batchFrame("topic", 7, &headracev1.Message{Data: []byte("a")}), PublishBatch},
		"heartbeat": {&headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_Heartbeat{}}, PublishHeartbeat},
		"look-up": {&headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_LookUp_{
			LookUp: &headracev1.PublishStreamRequest_LookUp{Topic: "topic", FirstSequence: 7},
		}}, PublishLookUp},
		"empty": {&headracev1.PublishStreamRequest{}, PublishNone},
	} {
		t.Run(name, func(t *testing.T) {
			f := receive(t, mustMarshal(t, c.frame))
			defer f.Release()
			if f.Fault != nil || f.Kind != c.kind {
				t.Fatalf("frame of kind %d, fault %v; want kind %d", f.Kind, f.Fault, c.kind)
			}
		})
	}
}

func TestABatchIsReadAroundItsMessages(t *testing.T) {
	first, second := &headracev1.Message{Data: []byte("a")}, &headracev1.Message{OrderingKey: "k"}
	f := receive(t, mustMarshal(t, batchFrame("shop/orders", 41, first, second)))
	defer f.Release()
	b := f.Batch
	if string(b.Topic) != "shop/orders" || b.FirstSequence != 41 || !b.OneWay || b.Count != 2 || b.Bytes != 3+3 {
		t.Fatalf("batch = %+v", b)
	}
	for _, m := range []*headracev1.Message{first, second} {
		if body, ok := b.Next(); !ok || !bytes.Equal(body, mustMarshal(t, m)) {
			t.Fatalf("Next = %x, %v; want %x", body, ok, mustMarshal(t, m))
		}
	}
	if body, ok := b.Next(); ok {
		t.Fatalf("a third message: %x", body)
	}
}

func TestFieldsOfABatchMayComeInAnyOrder(t *testing.T) {
	var batch []byte
	batch = protowire.AppendBytes(protowire.AppendTag(batch, fieldMessages, protowire.BytesType), []byte{0x0a, 0x00})
	batch = protowire.AppendBytes(protowire.AppendTag(batch, 99, protowire.BytesType), []byte("from the future"))
	batch = protowire.AppendString(protowire.AppendTag(batch, batchTopic, protowire.BytesType), "first")
	batch = protowire.AppendString(protowire.AppendTag(batch, batchTopic, protowire.BytesType), "last")
	f := receive(t, protowire.AppendBytes(protowire.AppendTag(nil, frameBatch, protowire.BytesType), batch))
	defer f.Release()
	if f.Fault != nil || string(f.Batch.Topic) != "last" || f.Batch.Count != 1 {
		t.Fatalf("batch = %+v, fault %v", f.Batch, f.Fault)
	}
}

func TestMalformedPublishFrames(t *testing.T) {
	inBatch := func(content ...byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, frameBatch, protowire.BytesType), content)
	}
	for name, b := range map[string][]byte{
		"open of the wrong wire type":           {0x08, 0x01},
		"group":                                 {0x0b, 0x0c},
		"cut":                                   {0x12, 0x05, 0x0a},
		"two frames":                            {0x12, 0x00, 0x1a, 0x00},
		"the same frame twice":                  {0x12, 0x00, 0x12, 0x00},
		"open that is no Open":                  {0x0a, 0x01, 0x0a},
		"heartbeat that is no Heartbeat":        {0x1a, 0x01, 0x0a},
		"look-up that is no LookUp":             {0x22, 0x01, 0x0a},
		"topic of the wrong wire type":          inBatch(0x08, 0x01),
		"topic not UTF-8":                       inBatch(0x0a, 0x01, 0xff),
		"first_sequence of the wrong wire type": inBatch(0x12, 0x00),
		"one_way of the wrong wire type":        inBatch(0x1a, 0x00),
		"messages of the wrong wire type":       inBatch(0x78, 0x01),
		"group in the batch":                    inBatch(0x7b, 0x7c),
		"message past the end of the batch":     inBatch(0x7a, 0x02, 0x00),
	} {
		t.Run(name, func(t *testing.T) {
			f := receive(t, b)
			defer f.Release()
			if !errors.Is(f.Fault, ErrMalformed) {
				t.Fatalf("frame %x: fault %v, want ErrMalformed", b, f.Fault)
			}
		})
	}
}

func TestAFrameFromTheFutureIsAnEmptyOne(t *testing.T) {
	f := receive(t, protowire.AppendBytes(protowire.AppendTag(nil, 77, protowire.BytesType), []byte("x")))
	defer f.Release()
	if f.Fault != nil || f.Kind != PublishNone {
		t.Fatalf("kind %d, fault %v", f.Kind, f.Fault)
	}
}

func TestAPublishCallIsRead(t *testing.T) {
	m := &headracev1.Message{Data: []byte("a")}
	body := mustMarshal(t, &headracev1.PublishRequest{Topic: "topic", Messages: []*headracev1.Message{m}})
	// What is a sequence in a PublishBatch is a field from the future here.
	body = protowire.AppendBytes(protowire.AppendTag(body, batchFirstSequence, protowire.BytesType), nil)
	var c PublishCall
	unmarshal(t, NewCodec(NewPool()), body, &c)
	defer c.Release()
	if c.Fault != nil || string(c.Batch.Topic) != "topic" || c.Batch.Count != 1 {
		t.Fatalf("call = %+v", c)
	}
}

// receive reads a frame through the codec.
func receive(tb testing.TB, b []byte) *PublishFrame {
	tb.Helper()
	f := new(PublishFrame)
	unmarshal(tb, NewCodec(NewPool()), b, f)
	return f
}

// unmarshal hands b to the codec in two pieces, as a transport does.
func unmarshal(tb testing.TB, c *Codec, b []byte, v any) {
	tb.Helper()
	cut := len(b) / 2
	data := mem.BufferSlice{mem.SliceBuffer(b[:cut]), mem.SliceBuffer(b[cut:])}
	if err := c.Unmarshal(data, v); err != nil {
		tb.Fatal(err)
	}
}

func openFrame(clientID string) *headracev1.PublishStreamRequest {
	return &headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_Open_{
		Open: &headracev1.PublishStreamRequest_Open{ClientId: clientID},
	}}
}

func batchFrame(topic string, first uint64, messages ...*headracev1.Message) *headracev1.PublishStreamRequest {
	return &headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_PublishBatch_{
		PublishBatch: &headracev1.PublishStreamRequest_PublishBatch{
			Topic: topic, FirstSequence: first, OneWay: true, Messages: messages,
		},
	}}
}

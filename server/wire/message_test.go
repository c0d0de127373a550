package wire

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// readAt is when the test's frames were read.
var readAt = time.Date(2026, 3, 4, 5, 6, 7, 890, time.UTC)

func TestAMessageIsStoredAsItCamePlusItsPublishTime(t *testing.T) {
	body := mustMarshal(t, &headracev1.Message{
		Data:        []byte("hi"),
		Attributes:  map[string]string{"k": "v"},
		OrderingKey: "key",
		ContentType: "text/plain",
	})
	const want = "7a28" + // messages, 40 bytes
		"0a026869" + // data
		"12060a016b120176" + // attributes
		"2a036b6579" + // ordering_key
		"5a0a746578742f706c61696e" + // content_type
		"2209" + "08bffb9ecd06" + "10fa06" // publish_time, seconds, nanos
	if got := hex.EncodeToString(accept(t, body)); got != want {
		t.Fatalf("stored bytes\n got %s\nwant %s", got, want)
	}
}

func TestFieldsThatTheServerSetsAreStripped(t *testing.T) {
	sent := &headracev1.Message{
		Data:        []byte("again"),
		MessageId:   "3-17",
		PublishTime: &timestamppb.Timestamp{Seconds: 1, Nanos: 2},
		OrderingKey: "key",
	}
	want := proto.CloneOf(sent)
	want.MessageId = ""
	want.PublishTime = timestamppb.New(readAt)
	if diff := cmp.Diff(want, parseStored(t, accept(t, mustMarshal(t, sent))), protocmp.Transform()); diff != "" {
		t.Fatalf("message after the walk (-want +got):\n%s", diff)
	}
}

func TestAPublishTimeIsExplicitInEverySubField(t *testing.T) {
	epoch := NewPublishTime(time.Unix(0, 0))
	if got := hex.EncodeToString(epoch.field()); got != "220408001000" {
		t.Fatalf("publish time of the epoch = %s, want seconds and nanos written out", got)
	}
	early := NewPublishTime(time.Unix(-1<<62, 999_999_999))
	if n := len(early.field()); n > maxPublishTimeBytes {
		t.Fatalf("publish time takes %d bytes, more than %d", n, maxPublishTimeBytes)
	}
}

func TestUnknownFieldsSurvive(t *testing.T) {
	body := mustMarshal(t, &headracev1.Message{Data: []byte("x"), MessageId: "gone"})
	var unknown []byte
	unknown = protowire.AppendVarint(protowire.AppendTag(unknown, 1000, protowire.VarintType), 7)
	unknown = protowire.AppendFixed64(protowire.AppendTag(unknown, 1001, protowire.Fixed64Type), 8)
	unknown = protowire.AppendBytes(protowire.AppendTag(unknown, 6, protowire.BytesType), []byte("\xff\x00"))
	unknown = protowire.AppendFixed32(protowire.AppendTag(unknown, 1<<29-1, protowire.Fixed32Type), 9)
	got := parseStored(t, accept(t, append(body, unknown...)))
	if !bytes.Equal(got.ProtoReflect().GetUnknown(), unknown) {
		t.Fatalf("unknown fields = %x, want %x", got.ProtoReflect().GetUnknown(), unknown)
	}
}

func TestTheLastOccurrenceCounts(t *testing.T) {
	body := append(
		mustMarshal(t, &headracev1.Message{OrderingKey: "first", DedupeId: "dropped"}),
		mustMarshal(t, &headracev1.Message{OrderingKey: "last"})...)
	body = protowire.AppendString(protowire.AppendTag(body, fieldDedupeID, protowire.BytesType), "")
	w := Walker{Limits: DefaultLimits()}
	m, failure := w.Walk(body)
	if !failure.OK() || string(m.Key) != "last" || len(m.DedupeID) != 0 {
		t.Fatalf("Walk = %q, %q, %+v; want the last key and no id", m.Key, m.DedupeID, failure)
	}
}

func TestMalformedMessages(t *testing.T) {
	long := string(make([]byte, 10))
	for name, c := range map[string]struct {
		body  []byte
		field string
	}{
		"data of the wrong wire type":        {[]byte{0x08, 0x01}, "data"},
		"attributes of the wrong wire type":  {[]byte{0x10, 0x01}, "attributes"},
		"message_id of the wrong wire type":  {[]byte{0x18, 0x01}, "message_id"},
		"content_type of the wrong type":     {[]byte{0x5d, 0, 0, 0, 0}, "content_type"},
		"ordering_key not UTF-8":             {[]byte{0x2a, 0x01, 0xff}, "ordering_key"},
		"ordering_key half a surrogate pair": {[]byte{0x2a, 0x03, 0xed, 0xa0, 0x80}, "ordering_key"},
		"ordering_key overlong NUL":          {[]byte{0x2a, 0x02, 0xc0, 0x80}, "ordering_key"},
		"message_id not UTF-8":               {[]byte{0x1a, 0x01, 0xff}, "message_id"},
		"dedupe_id not UTF-8":                {[]byte{0x52, 0x01, 0xff}, "dedupe_id"},
		"content_type not UTF-8":             {[]byte{0x5a, 0x01, 0xff}, "content_type"},
		"attribute key not UTF-8":            {[]byte{0x12, 0x03, 0x0a, 0x01, 0xff}, "attributes"},
		"attribute value not UTF-8":          {[]byte{0x12, 0x03, 0x12, 0x01, 0xff}, "attributes"},
		"attribute key of the wrong type":    {[]byte{0x12, 0x02, 0x08, 0x01}, "attributes"},
		"attribute entry with a group":       {[]byte{0x12, 0x02, 0x1b, 0x1c}, "attributes"},
		"publish_time cut":                   {[]byte{0x22, 0x01, 0x08}, "publish_time"},
		"publish_time of the wrong type":     {[]byte{0x22, 0x02, 0x0a, 0x00}, "publish_time"},
		"group among the fields":             {[]byte{0xa3, 0x06, 0xa4, 0x06}, ""},
		"bytes past the end":                 {append([]byte{0x0a, 0x0b}, long...), "data"},
		"field number 0":                     {[]byte{0x00}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			want := Failure{Reason: headracev1.ErrorReason_ERROR_REASON_MALFORMED_MESSAGE, Field: c.field}
			w := Walker{Limits: DefaultLimits()}
			if _, got := w.Walk(c.body); got != want {
				t.Fatalf("Walk(%x) = %+v, want %+v", c.body, got, want)
			}
		})
	}
}

func TestFieldsNotServedFailTheMessage(t *testing.T) {
	for field, m := range map[string]*headracev1.Message{
		"deliver_at": {DeliverAt: &timestamppb.Timestamp{}},
		"delay":      {Delay: &durationpb.Duration{}},
		"ttl":        {Ttl: durationpb.New(time.Hour)},
	} {
		want := Failure{Reason: headracev1.ErrorReason_ERROR_REASON_NOT_SERVED, Field: field}
		w := Walker{Limits: DefaultLimits()}
		if _, got := w.Walk(mustMarshal(t, m)); got != want {
			t.Errorf("Walk(%s) = %+v, want %+v", field, got, want)
		}
	}
}

func TestMessagesAtAndPastEachLimit(t *testing.T) {
	limits := DefaultLimits()
	for name, c := range map[string]struct {
		message func(over int) *headracev1.Message
		want    Failure
	}{
		"attributes": {
			func(over int) *headracev1.Message {
				return &headracev1.Message{Attributes: numbered(limits.MaxAttributes + over)}
			},
			tooLong("attributes", limits.MaxAttributes),
		},
		"attribute key": {
			func(over int) *headracev1.Message {
				key := strings.Repeat("k", limits.MaxAttributeKeyBytes+over)
				return &headracev1.Message{Attributes: map[string]string{key: ""}}
			},
			tooLong("attributes", limits.MaxAttributeKeyBytes),
		},
		"attribute value": {
			func(over int) *headracev1.Message {
				value := strings.Repeat("\x00", limits.MaxAttributeValueBytes+over)
				return &headracev1.Message{Attributes: map[string]string{"k": value}}
			},
			tooLong("attributes", limits.MaxAttributeValueBytes),
		},
		"ordering key": {
			func(over int) *headracev1.Message {
				return &headracev1.Message{OrderingKey: strings.Repeat("k", limits.MaxOrderingKeyBytes+over)}
			},
			tooLong("ordering_key", limits.MaxOrderingKeyBytes),
		},
		"content type": {
			func(over int) *headracev1.Message {
				return &headracev1.Message{ContentType: strings.Repeat("c", limits.MaxContentTypeBytes+over)}
			},
			tooLong("content_type", limits.MaxContentTypeBytes),
		},
		"message": {
			func(over int) *headracev1.Message {
				const fieldOverhead = 1 + 3
				return &headracev1.Message{Data: make([]byte, limits.MaxMessageBytes-fieldOverhead+over)}
			},
			Failure{Reason: headracev1.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE, Limit: uint64(limits.MaxMessageBytes)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := Walker{Limits: limits}
			if _, got := w.Walk(mustMarshal(t, c.message(0))); !got.OK() {
				t.Errorf("at the limit: %+v", got)
			}
			if _, got := w.Walk(mustMarshal(t, c.message(1))); got != c.want {
				t.Errorf("past the limit: %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestAMessageAtTheLimitMayBePublishedAgain(t *testing.T) {
	limits := DefaultLimits()
	m := &headracev1.Message{Data: make([]byte, limits.MaxMessageBytes-4)}
	again := parseStored(t, accept(t, mustMarshal(t, m)))
	again.MessageId = "0-0"
	accept(t, mustMarshal(t, again))
}

func TestAnAttributeNeedsAKey(t *testing.T) {
	w := Walker{Limits: DefaultLimits()}
	want := Failure{Reason: headracev1.ErrorReason_ERROR_REASON_INVALID_FIELD, Field: "attributes"}
	for name, body := range map[string][]byte{
		"empty entry":     {0x12, 0x00},
		"empty key":       {0x12, 0x02, 0x0a, 0x00},
		"last key counts": {0x12, 0x05, 0x0a, 0x01, 0x6b, 0x0a, 0x00},
	} {
		if _, got := w.Walk(body); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// accept walks a body that must be good and gives its stored bytes.
func accept(t *testing.T, body []byte) []byte {
	t.Helper()
	w := Walker{Limits: DefaultLimits()}
	m, failure := w.Walk(body)
	if !failure.OK() {
		t.Fatalf("Walk: %+v", failure)
	}
	at := NewPublishTime(readAt)
	stored := m.AppendTo(nil, &at)
	if len(stored) > m.WireSize() {
		t.Fatalf("stored %d bytes, more than WireSize %d", len(stored), m.WireSize())
	}
	return stored
}

// parseStored reads stored bytes as a generated client would.
func parseStored(tb testing.TB, stored []byte) *headracev1.Message {
	tb.Helper()
	var b headracev1.SubscribeResponse_Batch
	if err := proto.Unmarshal(stored, &b); err != nil || len(b.GetMessages()) != 1 {
		tb.Fatalf("stored bytes hold %d messages, %v", len(b.GetMessages()), err)
	}
	return b.GetMessages()[0]
}

func mustMarshal(tb testing.TB, m proto.Message) []byte {
	tb.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// numbered makes n attributes.
func numbered(n int) map[string]string {
	attributes := make(map[string]string, n)
	for i := range n {
		attributes[strings.Repeat("k", i+1)] = ""
	}
	return attributes
}

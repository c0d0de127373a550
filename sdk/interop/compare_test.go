package main

import (
	"bytes"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/protobuf/proto"
)

// everything is a corpus with unknown fields, its ids, and what came of it.
func everything() (published []sent, came []*headracev1.Message) {
	for i, m := range unknownMessages() {
		m.MessageId = "0-" + string(rune('a'+i))
		m.OrderingKey = []string{"", "left", "right"}[i%3]
		published = append(published, sent{id: m.GetMessageId(), key: m.GetOrderingKey(), publisher: "go", digest: digestOf(m, true)})
		came = append(came, m)
	}
	return published, came
}

func sequence(messages []*headracev1.Message, end error) iter.Seq2[*headracev1.Message, error] {
	return func(yield func(*headracev1.Message, error) bool) {
		for _, m := range messages {
			if !yield(m, nil) {
				return
			}
		}
		if end != nil {
			yield(nil, end)
		}
	}
}

func TestWhatCameAsItWasSentIsRight(t *testing.T) {
	published, came := everything()
	for _, m := range came {
		m.PublishTime = nil
		m.DedupeId = ""
	}
	if found := compare(published, sequence(came, nil), true, true); len(found) > 0 {
		t.Error(found)
	}
}

// TestComparisonGoesRed changes one thing at a time and looks for what sees it.
func TestComparisonGoesRed(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(published []sent, came []*headracev1.Message) ([]sent, []*headracev1.Message)
		says  string
	}{
		"a NUL is lost": {func(p []sent, c []*headracev1.Message) ([]sent, []*headracev1.Message) {
			c[4].Data = bytes.ReplaceAll(c[4].GetData(), []byte{0}, nil)
			return p, c
		}, "0-e came changed"},
		"an attribute is lost": {func(p []sent, c []*headracev1.Message) ([]sent, []*headracev1.Message) {
			delete(c[5].GetAttributes(), "empty")
			return p, c
		}, "0-f came changed"},
		"a content type is changed": {func(p []sent, c []*headracev1.Message) ([]sent, []*headracev1.Message) {
			c[6].ContentType += " "
			return p, c
		}, "0-g came changed"},
		"a key is normalized": {func(p []sent, c []*headracev1.Message) ([]sent, []*headracev1.Message) {
			c[7].OrderingKey += "\u0301"
			return p, c
		}, "0-h came changed"},
		"unknown fields are lost": {func(p []sent, c []*headracev1.Message) ([]sent, []*headracev1.Message) {
			c[8].ProtoReflect().SetUnknown(nil)
			return p, c
		}, "0-i came changed"},
		"one did not come": {func(p []sent, c []*headracev1.Message) ([]sent, []*headracev1.Message) {
			return p, slices.Delete(c, 3, 4)
		}, "0-d of go did not come"},
		"one came twice": {func(p []sent, c []*headracev1.Message) ([]sent, []*headracev1.Message) {
			return p, append(c, c[2])
		}, "0-c came, which was not sent, or came before"},
		"one has another's id": {func(p []sent, c []*headracev1.Message) ([]sent, []*headracev1.Message) {
			p[1].id = p[0].id
			return p, c
		}, "two messages have the id 0-a"},
		"two of a key are swapped": {func(p []sent, c []*headracev1.Message) ([]sent, []*headracev1.Message) {
			c[1], c[4] = c[4], c[1]
			return p, c
		}, `key "left" came as`},
		"a key is in two partitions": {func(p []sent, c []*headracev1.Message) ([]sent, []*headracev1.Message) {
			p[5].id, c[5].MessageId = "1-f", "1-f"
			return p, c
		}, `key "right" is in two partitions`},
	} {
		t.Run(name, func(t *testing.T) {
			published, came := c.spoil(everything())
			found := compare(published, sequence(came, nil), true, true)
			if !slices.ContainsFunc(found, func(d string) bool { return strings.Contains(d, c.says) }) {
				t.Errorf("found %q, want %q", found, c.says)
			}
			var out bytes.Buffer
			err := report(&out, []verdict{{corpus: "odd", publisher: "go", consumer: "java", differences: found}})
			if !errors.Is(err, errDiffers) || !strings.Contains(out.String(), "DIFFERS") {
				t.Errorf("%v: %s", err, out.String())
			}
		})
	}
	published, came := everything()
	if found := compare(published, sequence(came, errors.New("cut off")), true, true); len(found) != 1 {
		t.Errorf("an output that is cut off: %q", found)
	}
}

func TestFilesKeepMessages(t *testing.T) {
	path := t.TempDir() + "/messages"
	want := unknownMessages()
	if err := writeMessages(path, slices.Values(want)); err != nil {
		t.Fatal(err)
	}
	i := 0
	for got, err := range readMessages(path) {
		if err != nil || !proto.Equal(got, want[i]) {
			t.Errorf("message %d is %v, %v", i, got, err)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d of %d messages", i, len(want))
	}
}

func TestLargestMessageIsLargestToTheByte(t *testing.T) {
	if size := proto.Size(largestMessage()); size != largestBytes {
		t.Errorf("%d bytes, want %d", size, largestBytes)
	}
}

package main

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

const (
	// largestBytes is the most that a topic may allow, and here does.
	largestBytes = 32 << 20
	// smallKeys is over how many ordering keys small messages spread.
	smallKeys = 100
	// roundsOfKeys is how often a publisher goes through all odd keys.
	roundsOfKeys = 5
	// handlers is how many run at once.
	handlers = 8
	// maxAttributes is what a message may have of them, and maxTextBytes, maxNameBytes
	// how long a value or key, and a name of one, may be.
	maxAttributes, maxTextBytes, maxNameBytes = 100, 1_024, 256
)

// corpus is one kind of messages that are published and received.
type corpus struct {
	name string
	// topic is what it is published to; its name is a prefix unless it is shared.
	topic *headracev1.Topic
	// shared: all publish to one topic, one after the other, and what came is compared
	// as one.
	shared bool
	// byContract: it is published by the contract's own call, not by an SDK.
	byContract bool
	// messages are what a publisher publishes.
	messages func(publisher string) iter.Seq[*headracev1.Message]
}

// corpora are all of them; messages is how many small ones there are.
func corpora(messages int) []corpus {
	return []corpus{
		{
			name:     "odd",
			topic:    &headracev1.Topic{Name: "Odd._~%+-/Names.~%+-_", Partitions: 4},
			messages: func(string) iter.Seq[*headracev1.Message] { return slices.Values(oddMessages()) },
		},
		{
			name:  "largest",
			topic: &headracev1.Topic{Name: "largest-", MaxMessageBytes: largestBytes},
			messages: func(string) iter.Seq[*headracev1.Message] {
				return slices.Values([]*headracev1.Message{largestMessage()})
			},
		},
		{
			name:     "small",
			topic:    &headracev1.Topic{Name: "small-", Partitions: 8},
			messages: func(string) iter.Seq[*headracev1.Message] { return smallMessages(messages) },
		},
		{
			name:     "keys",
			topic:    &headracev1.Topic{Name: "keys", Partitions: 16},
			shared:   true,
			messages: keyMessages,
		},
		{
			name:       "unknown",
			topic:      &headracev1.Topic{Name: "unknown"},
			byContract: true,
			messages:   func(string) iter.Seq[*headracev1.Message] { return slices.Values(unknownMessages()) },
		},
	}
}

// topicName is the topic that a publisher publishes a corpus to.
func (c corpus) topicName(publisher string) string {
	if c.shared || c.byContract {
		return c.topic.GetName()
	}
	return c.topic.GetName() + publisher
}

// oddTexts are legal and look as if they were not.
func oddTexts() []string {
	return []string{
		"\x00", "a\x00b", "\x00\x00", " ", "\t\r\n", `"quoted\"`, "%00", "{}", "\x7f", "\u0085", "ключ", "\u9375", "é", "e\u0301", "ß",
		"\u202eright to left", "\ufeffwith a mark", "\u200d", "\ufffd", "\uffff", "\U0001f6f6", "\U0010ffff", "İ", "ǆ",
		strings.Repeat("k", maxTextBytes), strings.Repeat("\U0001f6f6", maxTextBytes/len("\U0001f6f6")),
	}
}

func oddMessages() []*headracev1.Message {
	all := []*headracev1.Message{{}, {Data: everyByte()}, {Attributes: manyAttributes()}}
	for i, text := range oddTexts() {
		name := cut(text, maxNameBytes)
		all = append(all, &headracev1.Message{
			Data:        []byte(text),
			Attributes:  map[string]string{name: text, "empty": "", "plain": strconv.Itoa(i)},
			OrderingKey: text,
			ContentType: name,
			DedupeId:    name,
		})
	}
	return all
}

func everyByte() []byte {
	var all []byte
	for b := range 256 {
		all = append(all, byte(b))
	}
	return all
}

// manyAttributes are as many as there may be.
func manyAttributes() map[string]string {
	all := map[string]string{}
	for _, text := range oddTexts() {
		all[cut(text, maxNameBytes)] = text
	}
	for i := 0; len(all) < maxAttributes; i++ {
		all[fmt.Sprintf("attribute %d", i)] = strings.Repeat("v", i)
	}
	return all
}

// cut is what of a text has so many bytes at most, in whole characters.
func cut(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	return strings.ToValidUTF8(text[:bytes], "")
}

// largestMessage is as large as it may be, to the byte.
func largestMessage() *headracev1.Message {
	m := &headracev1.Message{
		Attributes: manyAttributes(), OrderingKey: "large", ContentType: "application/octet-stream", Data: make([]byte, largestBytes),
	}
	m.Data = m.GetData()[:largestBytes-(proto.Size(m)-largestBytes)]
	for at := range m.GetData() {
		m.Data[at] = byte(at*(at>>8+1) + at>>16)
	}
	return m
}

func smallMessages(count int) iter.Seq[*headracev1.Message] {
	return func(yield func(*headracev1.Message) bool) {
		for i := range count {
			m := &headracev1.Message{Data: fmt.Appendf(nil, "message %d", i)}
			if i%2 == 0 {
				m.OrderingKey = fmt.Sprintf("key %d", i%smallKeys)
			}
			if !yield(m) {
				return
			}
		}
	}
}

// keyMessages go through all odd keys, several times.
func keyMessages(publisher string) iter.Seq[*headracev1.Message] {
	return func(yield func(*headracev1.Message) bool) {
		for round := range roundsOfKeys {
			for _, key := range oddTexts() {
				if !yield(&headracev1.Message{OrderingKey: key, Data: fmt.Appendf(nil, "%s %d", publisher, round)}) {
					return
				}
			}
		}
	}
}

// unknownMessages have fields of a contract to come.
func unknownMessages() []*headracev1.Message {
	var fields []byte
	fields = protowire.AppendTag(fields, 1_000, protowire.VarintType)
	fields = protowire.AppendVarint(fields, 42)
	fields = protowire.AppendTag(fields, 1_001, protowire.BytesType)
	fields = protowire.AppendString(fields, "of a later version")
	fields = protowire.AppendTag(fields, 1_002, protowire.Fixed64Type)
	fields = protowire.AppendFixed64(fields, 1<<63)
	all := oddMessages()
	for _, m := range all {
		m.ProtoReflect().SetUnknown(fields)
		m.DedupeId = ""
	}
	return all
}

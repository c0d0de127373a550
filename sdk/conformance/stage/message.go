package stage

import (
	"fmt"
	"maps"
	"strings"

	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/conformance/driver"
	"github.com/headrace/headrace/sdk/conformance/scenario"
)

// compose makes a message of a publish step. Its data begins with its name.
func compose(name string, n int, s *scenario.Publish) driver.Message {
	m := driver.Message{
		Name: name, Data: []byte(name), ContentType: padded(s.ContentType, s.Pad.ContentType),
		DedupeID: padded(s.DedupeID, s.Pad.DedupeID), Attributes: map[string]string{},
	}
	maps.Copy(m.Attributes, s.Attributes)
	if len(s.Keys) > 0 {
		m.Key = padded(s.Keys[n%len(s.Keys)], s.Pad.Key)
	}
	for i := len(m.Attributes); i < s.Pad.Attributes; i++ {
		m.Attributes[fmt.Sprintf("attribute-%d", i)] = "value"
	}
	if s.Pad.AttributeKey > 0 || s.Pad.AttributeValue > 0 {
		m.Attributes[padded("k", s.Pad.AttributeKey)] = padded("v", s.Pad.AttributeValue)
	}
	m.Data = padData(m.Data, s.Pad.Data)
	if s.Pad.Encoded > 0 {
		padEncoded(&m, s.Pad.Encoded)
	}
	return m
}

// padEncoded pads data until the whole message has a size. The length of the data takes
// bytes too, one more for each power of 128, so it takes a second look; a size just
// there cannot be had.
func padEncoded(m *driver.Message, size int) {
	for range 2 {
		wanted := len(m.Data) + size - encodedBytes(m)
		m.Data = padData(m.Data, wanted)
		m.Data = m.Data[:wanted]
	}
}

// encodedBytes is how large the contract's message is.
func encodedBytes(m *driver.Message) int { return proto.Size(contractMessage(m)) }

func contractMessage(m *driver.Message) *headracev1.Message {
	return &headracev1.Message{
		Data: m.Data, OrderingKey: m.Key, Attributes: m.Attributes, ContentType: m.ContentType, DedupeId: m.DedupeID,
	}
}

func padded(s string, size int) string { return s + strings.Repeat("x", max(0, size-len(s))) }

// padData pads behind a space, where a name ends.
func padData(data []byte, size int) []byte {
	if len(data) >= size {
		return data
	}
	padding := append([]byte(" "), strings.Repeat(".", size-len(data)-1)...)
	return append(data, padding...)
}

// nameOf is the name that data begins with.
func nameOf(data []byte) string {
	name, _, _ := strings.Cut(string(data[:min(len(data), maxNameBytes)]), " ")
	return name
}

// maxNameBytes is more than any name has.
const maxNameBytes = 100

// numberOf is the number at the end of a name.
func numberOf(name string) string { return name[len(strings.TrimRight(name, "0123456789")):] }

// same says whether a message came as it was published. A dedupe id does not come.
func same(published, delivered *driver.Message) bool {
	return string(published.Data) == string(delivered.Data) && published.Key == delivered.Key &&
		published.ContentType == delivered.ContentType && maps.Equal(published.Attributes, delivered.Attributes)
}

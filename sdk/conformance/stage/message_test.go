package stage

import (
	"testing"

	"github.com/headrace/headrace/sdk/conformance/scenario"
)

// TestMessagesAreAsLongAsTheyAreToBe: to the byte.
func TestMessagesAreAsLongAsTheyAreToBe(t *testing.T) {
	for _, size := range []int{20, 127, 128, 129, 130, 140, 200, 16_383, 16_384, 16_391, 16_500, 1 << 20} {
		m := compose("m1", 0, &scenario.Publish{Keys: []string{"k"}, Pad: scenario.Pad{Encoded: size}})
		if got := encodedBytes(&m); got != size {
			t.Errorf("a message of %d bytes has %d", size, got)
		}
		if nameOf(m.Data) != "m1" {
			t.Errorf("a message of %d bytes has the name %q", size, nameOf(m.Data))
		}
	}
	m := compose("m12", 0, &scenario.Publish{
		Keys: []string{"k"}, ContentType: "text/plain",
		Pad: scenario.Pad{Key: 1024, ContentType: 256, DedupeID: 256, Attributes: 100, AttributeKey: 256, AttributeValue: 1024},
	})
	if len(m.Key) != 1024 || len(m.ContentType) != 256 || len(m.DedupeID) != 256 || len(m.Attributes) != 101 {
		t.Errorf("%d %d %d %d", len(m.Key), len(m.ContentType), len(m.DedupeID), len(m.Attributes))
	}
	if numberOf(m.Name) != "12" || nameOf(m.Data) != "m12" {
		t.Errorf("name %q number %q", nameOf(m.Data), numberOf(m.Name))
	}
}

// TestAMessageThatChangedIsNotTheSame, whatever changed.
func TestAMessageThatChangedIsNotTheSame(t *testing.T) {
	published := compose("m1", 0, &scenario.Publish{Keys: []string{"k"}, Attributes: map[string]string{"a": "b"}, ContentType: "c", DedupeID: "d"})
	delivered := published
	delivered.DedupeID = ""
	if !same(&published, &delivered) {
		t.Error("it has changed")
	}
	for name, change := range map[string]func(){
		"data": func() { delivered.Data = []byte("m1 ") }, "key": func() { delivered.Key = "" },
		"attributes": func() { delivered.Attributes = nil }, "content type": func() { delivered.ContentType = "" },
	} {
		delivered = published
		change()
		if same(&published, &delivered) {
			t.Errorf("its %s is not looked at", name)
		}
	}
}

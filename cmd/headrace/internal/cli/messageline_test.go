package cli

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/sdk/go"
)

func TestMessageLineIsRead(t *testing.T) {
	for text, want := range map[string]headrace.Message{
		`{"data": "x"}`:                      {Data: []byte("x")},
		`{"data": ""}`:                       {Data: []byte{}},
		`{}`:                                 {},
		`{"data_base64": "/w=="}`:            {Data: []byte{0xff}},
		`{"data": "x", "ordering_key": "k"}`: {Data: []byte("x"), OrderingKey: "k"},
		`{"attributes": {"a": "b"}, "content_type": "t"}`:                                   {Attributes: map[string]string{"a": "b"}, ContentType: "t"},
		`{"message_id": "0-7", "partition": 0, "offset": 7, "attempt": 2, "data": "again"}`: {Data: []byte("again")},
	} {
		got, err := parseMessageLine(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}

func TestMessageLineRefuses(t *testing.T) {
	for _, text := range []string{"", "x", "[]", `{"dta": "x"}`, `{"data": "x", "data_base64": "eA=="}`, `{"data": "x"} {}`, `{"data": 1}`} {
		if m, err := parseMessageLine(text); err == nil {
			t.Errorf("%q was taken as %+v", text, m)
		}
	}
}

func FuzzParseMessageLine(f *testing.F) {
	for _, seed := range []string{`{"data": "x"}`, `{"data_base64": "/w=="}`, `{"attributes": {"": ""}}`, `[`, `{"data":"\ud800"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseMessageLine(text)
		if err != nil {
			return
		}
		// What was taken can be written as a line and taken again.
		line, err := json.Marshal(messageLine{OrderingKey: m.OrderingKey, Attributes: m.Attributes, ContentType: m.ContentType, DataBase64: m.Data})
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseMessageLine(string(line))
		if err != nil || string(again.Data) != string(m.Data) || again.OrderingKey != m.OrderingKey {
			t.Errorf("%q became %+v, %v", line, again, err)
		}
	})
}

func TestFieldOfAnObjectIsItsText(t *testing.T) {
	data := []byte(`{"network": "ci", "n": 7, "felt": null}`)
	for field, want := range map[string]string{"network": "ci", "n": "7"} {
		if got, err := fieldOf(data, field); err != nil || got != want {
			t.Errorf("%s: %q, %v", field, got, err)
		}
	}
	if _, err := fieldOf(data, "absent"); err == nil {
		t.Error("a field that is not there was taken")
	}
	if _, err := fieldOf([]byte("plain"), "network"); err == nil {
		t.Error("what is no object was taken")
	}
}

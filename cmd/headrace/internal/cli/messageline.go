package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/headrace/headrace/sdk/go"
)

// messageLine is a message as one JSON object: what `tail` writes, and what
// `pub --input jsonl` reads. So what one writes the other takes; the fields that
// a server sets are not read.
type messageLine struct {
	MessageID   string            `json:"message_id,omitempty"`
	Partition   *uint32           `json:"partition,omitempty"`
	Offset      *uint64           `json:"offset,omitempty"`
	PublishTime *time.Time        `json:"publish_time,omitempty"`
	Attempt     int               `json:"attempt,omitempty"`
	OrderingKey string            `json:"ordering_key,omitempty"`
	Attributes  map[string]string `json:"attributes,omitempty"`
	ContentType string            `json:"content_type,omitempty"`
	// Data is the payload when it is UTF-8; else DataBase64 is.
	Data       *string `json:"data,omitempty"`
	DataBase64 []byte  `json:"data_base64,omitempty"`
	// DeliveryToken names the delivery, of a message that was pulled.
	DeliveryToken string `json:"delivery_token,omitempty"`
}

// lineOf is a delivery's line.
func lineOf(d *headrace.Delivery) messageLine {
	position := d.Position()
	line := messageLine{
		MessageID:   string(d.ID()),
		Partition:   &position.Partition,
		Offset:      &position.Offset,
		Attempt:     d.Attempt(),
		OrderingKey: d.OrderingKey,
		Attributes:  d.Attributes,
		ContentType: d.ContentType,
	}
	if at := d.PublishTime(); at.Unix() > 0 {
		line.PublishTime = &at
	}
	if utf8.Valid(d.Data) {
		text := string(d.Data)
		line.Data = &text
	} else {
		line.DataBase64 = append([]byte(nil), d.Data...)
	}
	return line
}

// text is the line for people: position, key, attributes and data.
func (l messageLine) text() string {
	parts := []string{l.MessageID}
	if l.OrderingKey != "" {
		parts = append(parts, l.OrderingKey)
	}
	if len(l.Attributes) > 0 {
		parts = append(parts, labelText(l.Attributes))
	}
	if l.Data != nil {
		return strings.Join(append(parts, *l.Data), "  ")
	}
	return strings.Join(append(parts, fmt.Sprintf("(%d bytes)", len(l.DataBase64))), "  ")
}

// parseMessageLine reads a message from its JSON object. A field that nobody
// knows is an error: it is a misspelt one.
func parseMessageLine(text string) (headrace.Message, error) {
	var l messageLine
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return headrace.Message{}, fmt.Errorf("not a message: %w", err)
	}
	if d.More() {
		return headrace.Message{}, fmt.Errorf("not a message: there is more than one JSON value")
	}
	if l.Data != nil && l.DataBase64 != nil {
		return headrace.Message{}, fmt.Errorf("not a message: both data and data_base64")
	}
	m := headrace.Message{Data: l.DataBase64, OrderingKey: l.OrderingKey, Attributes: l.Attributes, ContentType: l.ContentType}
	if l.Data != nil {
		m.Data = []byte(*l.Data)
	}
	return m, nil
}

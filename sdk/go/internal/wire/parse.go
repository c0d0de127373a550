package wire

import (
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// ParseMessage decodes one message of a Batch into m, which must be zero. m.Data
// is a view of raw.
func ParseMessage(raw []byte, m *Message) error {
	var stamp timestamp
	err := eachField(raw, func(f field) error {
		switch f.number {
		case fieldData:
			if f.kind == protowire.BytesType {
				m.Data = slices.Clip(f.data)
			}
		case fieldAttributes:
			return m.addAttribute(f)
		case fieldMessageID:
			return f.text(&m.MessageID)
		case fieldPublishTime:
			return stamp.merge(f)
		case fieldOrderingKey:
			return f.text(&m.OrderingKey)
		case fieldContentType:
			return f.text(&m.ContentType)
		default: // Unknown: of a newer server, or for other clients.
		}
		return nil
	})
	m.PublishTime = stamp.time()
	return err
}

// addAttribute adds an entry; a later one of the same key wins.
func (m *Message) addAttribute(f field) error {
	if f.kind != protowire.BytesType {
		return nil
	}
	var key, value string
	err := eachField(f.data, func(f field) error {
		switch f.number {
		case fieldKey:
			return f.text(&key)
		case fieldValue:
			return f.text(&value)
		default: // Unknown.
		}
		return nil
	})
	if err != nil {
		return err
	}
	if m.Attributes == nil {
		m.Attributes = make(map[string]string)
	}
	m.Attributes[key] = value
	return nil
}

// timestamp is a google.protobuf.Timestamp.
type timestamp struct {
	present        bool
	seconds, nanos uint64
}

// merge adds what a field holds: embedded messages that occur twice merge.
func (t *timestamp) merge(f field) error {
	if f.kind != protowire.BytesType {
		return nil
	}
	t.present = true
	return eachField(f.data, func(f field) error {
		switch f.number {
		case fieldSeconds:
			f.uint64(&t.seconds)
		case fieldNanos:
			f.uint64(&t.nanos)
		default: // Unknown.
		}
		return nil
	})
}

// time returns the zero time when there was no timestamp.
func (t *timestamp) time() time.Time {
	if !t.present {
		return time.Time{}
	}
	return time.Unix(int64(t.seconds), int64(int32(t.nanos))).UTC()
}

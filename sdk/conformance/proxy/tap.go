package proxy

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/headrace/headrace/sdk/conformance/record"
)

const (
	// frameHeaderBytes is what an HTTP/2 frame begins with: its length in 3 bytes, and 6 more.
	frameHeaderBytes = 9
	// messageHeaderBytes is what a gRPC message begins with: a flag, and its length in 4 bytes.
	messageHeaderBytes = 5
	// headerTableBytes is how large a table of headers may be before anybody says more.
	headerTableBytes = 4096
)

// streamsSeen numbers the streams of all links.
var streamsSeen atomic.Int64

// tap decodes what passes on one connection. Both directions call it.
type tap struct {
	link    string
	history *record.History

	mu      sync.Mutex
	client  *side
	server  *side
	calls   map[uint32]*call
	preface int // bytes of the client's preface that are still to come.
	stopped bool
}

// side is what one side of a connection said and is not decoded yet.
type side struct {
	pending []byte
	whole   bytes.Buffer
	framer  *http2.Framer
	headers *hpack.Decoder
	fields  []hpack.HeaderField
}

// call is one call of the contract.
type call struct {
	method   string
	number   string
	up, down []byte
	ended    bool
}

func newTap(link string, history *record.History) *tap {
	return &tap{
		link: link, history: history, client: newSide(), server: newSide(),
		calls: map[uint32]*call{}, preface: len(http2.ClientPreface),
	}
}

func newSide() *side {
	s := &side{}
	s.framer = http2.NewFramer(nil, &s.whole)
	s.headers = hpack.NewDecoder(headerTableBytes, func(f hpack.HeaderField) { s.fields = append(s.fields, f) })
	s.headers.SetAllowedMaxDynamicTableSize(1 << 20)
	return s
}

func (t *tap) fromClient(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	skipped := min(t.preface, len(b))
	t.preface -= skipped
	t.take(t.client, b[skipped:], t.clientFrame)
}

func (t *tap) fromServer(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.take(t.server, b, t.serverFrame)
}

// take decodes every frame that is whole by now. What is no HTTP/2 is told once, and
// then passes unheard.
func (t *tap) take(s *side, b []byte, each func(http2.Frame)) {
	if t.stopped {
		return
	}
	s.pending = append(s.pending, b...)
	for len(s.pending) >= frameHeaderBytes {
		length := frameHeaderBytes + int(s.pending[0])<<16 + int(s.pending[1])<<8 + int(s.pending[2])
		if len(s.pending) < length {
			return
		}
		s.whole.Write(s.pending[:length])
		s.pending = s.pending[length:]
		frame, err := s.framer.ReadFrame()
		if err != nil {
			t.stopped = true
			t.history.Record("tap.lost", record.Fields{"link": t.link, "detail": err.Error()})
			return
		}
		each(frame)
	}
}

// block adds a part of a block of headers, and says whether it is whole.
func (s *side) block(fragment []byte, whole bool) bool {
	_, _ = s.headers.Write(fragment)
	if whole {
		_ = s.headers.Close()
	}
	return whole
}

// taken gives the headers of a block that is whole.
func (s *side) taken() map[string]string {
	got := make(map[string]string, len(s.fields))
	for _, f := range s.fields {
		got[f.Name] = f.Value
	}
	s.fields = s.fields[:0]
	return got
}

func (t *tap) clientFrame(frame http2.Frame) {
	id := frame.Header().StreamID
	switch f := frame.(type) {
	case *http2.HeadersFrame:
		if t.client.block(f.HeaderBlockFragment(), f.HeadersEnded()) {
			t.began(id, t.client.taken())
		}
	case *http2.ContinuationFrame:
		if t.client.block(f.HeaderBlockFragment(), f.HeadersEnded()) {
			t.began(id, t.client.taken())
		}
	case *http2.DataFrame:
		if c := t.calls[id]; c != nil {
			c.up = t.messages(c, append(c.up, f.Data()...), t.requested)
		}
	case *http2.RSTStreamFrame:
		t.ended(id, record.Fields{"by": "client", "status": f.ErrCode.String()})
	}
}

func (t *tap) serverFrame(frame http2.Frame) {
	id := frame.Header().StreamID
	switch f := frame.(type) {
	case *http2.HeadersFrame:
		if t.server.block(f.HeaderBlockFragment(), f.HeadersEnded()) {
			t.answered(id, t.server.taken())
		}
	case *http2.ContinuationFrame:
		if t.server.block(f.HeaderBlockFragment(), f.HeadersEnded()) {
			t.answered(id, t.server.taken())
		}
	case *http2.DataFrame:
		if c := t.calls[id]; c != nil {
			c.down = t.messages(c, append(c.down, f.Data()...), t.responded)
		}
	case *http2.RSTStreamFrame:
		t.ended(id, record.Fields{"by": "server", "status": f.ErrCode.String()})
	}
}

func (t *tap) began(id uint32, headers map[string]string) {
	if method := headers[":path"]; method != "" {
		t.calls[id] = &call{method: method, number: strconv.FormatInt(streamsSeen.Add(1), 10)}
	}
}

func (t *tap) answered(id uint32, headers map[string]string) {
	if status, ok := headers["grpc-status"]; ok {
		t.ended(id, record.Fields{"by": "server", "status": statusName(status), "detail": headers["grpc-message"]})
	}
}

func (t *tap) ended(id uint32, fields record.Fields) {
	c := t.calls[id]
	if c == nil || c.ended || !follows(c.method) {
		return
	}
	c.ended = true
	fields["link"], fields["stream"], fields["method"] = t.link, c.number, c.method
	t.history.Record("stream.ended", fields)
}

// messages takes the messages that are whole out of what one side said in a call, and
// returns the rest.
func (t *tap) messages(c *call, b []byte, each func(*call, []byte)) []byte {
	for len(b) >= messageHeaderBytes {
		length := messageHeaderBytes + int(binary.BigEndian.Uint32(b[1:]))
		if len(b) < length {
			break
		}
		if follows(c.method) {
			each(c, b[messageHeaderBytes:length])
		}
		b = b[length:]
	}
	return b
}

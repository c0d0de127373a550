package proxy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/conformance/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = time.Minute

// echo is a server that says what it hears.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	return l.Addr().String()
}

func link(t *testing.T) *Link {
	t.Helper()
	address := echo(t)
	l, err := Listen("c", func() string { return address }, record.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func dial(t *testing.T, l *Link) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c
}

func say(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := c.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

func hear(t *testing.T, c net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Fatalf("heard %q, %v; want %q", got, err, want)
	}
}

// TestHeldBytesPassLater: in their order, and none is lost.
func TestHeldBytesPassLater(t *testing.T) {
	for _, hold := range []func(*Link){(*Link).HoldServer, (*Link).HoldClient} {
		l := link(t)
		c := dial(t, l)
		say(t, c, "before ")
		hear(t, c, "before ")
		hold(l)
		say(t, c, "while ")
		say(t, c, "held")
		if err := c.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Fatal("something passed")
		}
		if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		l.Heal()
		hear(t, c, "while held")
	}
}

// TestACutResetsAndDropsWhatIsHeld: the next connection is whole.
func TestACutResetsAndDropsWhatIsHeld(t *testing.T) {
	l := link(t)
	c := dial(t, l)
	say(t, c, "before")
	hear(t, c, "before")
	l.HoldServer()
	say(t, c, "held")
	l.Cut()
	if n, err := io.ReadFull(c, make([]byte, 4)); n != 0 || err == nil {
		t.Errorf("heard %d bytes of what was held, %v", n, err)
	}
	l.Heal()
	c = dial(t, l)
	say(t, c, "after")
	hear(t, c, "after")
}

// TestARefusingLinkLetsNobodyIn until it is healed.
func TestARefusingLinkLetsNobodyIn(t *testing.T) {
	l := link(t)
	l.Refuse()
	c, err := net.Dial("tcp", l.Address())
	if err == nil {
		_, err = c.Read(make([]byte, 1))
		_ = c.Close()
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("it answers: %v", err)
	}
	l.Heal()
	c = dial(t, l)
	say(t, c, "after")
	hear(t, c, "after")
}

// TestADelayedLinkCarriesEverything in order.
func TestADelayedLinkCarriesEverything(t *testing.T) {
	l := link(t)
	l.Delay(time.Millisecond)
	c := dial(t, l)
	say(t, c, "one ")
	say(t, c, "two")
	hear(t, c, "one two")
}

// conversation is what a client or a server says, as HTTP/2.
type conversation struct {
	bytes.Buffer
	framer *http2.Framer
	block  bytes.Buffer
	fields *hpack.Encoder
}

func newConversation() *conversation {
	c := &conversation{}
	c.framer, c.fields = http2.NewFramer(&c.Buffer, nil), hpack.NewEncoder(&c.block)
	return c
}

func (c *conversation) headers(t *testing.T, name, value string) {
	t.Helper()
	c.block.Reset()
	if err := c.fields.WriteField(hpack.HeaderField{Name: name, Value: value}); err != nil {
		t.Fatal(err)
	}
	// In two parts: a block may be as long as it likes.
	p := http2.HeadersFrameParam{StreamID: 1, BlockFragment: c.block.Bytes()[:1]}
	if err := c.framer.WriteHeaders(p); err != nil {
		t.Fatal(err)
	}
	if err := c.framer.WriteContinuation(1, true, c.block.Bytes()[1:]); err != nil {
		t.Fatal(err)
	}
}

// message is a frame of the contract, in two frames of HTTP/2.
func (c *conversation) message(t *testing.T, m proto.Message) {
	t.Helper()
	body, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	whole := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(body))), body...)
	for _, part := range [][]byte{whole[:3], whole[3:]} {
		if err := c.framer.WriteData(1, false, part); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFramesAreToldHoweverTheyArrive: byte by byte, or all at once.
func TestFramesAreToldHoweverTheyArrive(t *testing.T) {
	client, server := newConversation(), newConversation()
	client.WriteString(http2.ClientPreface)
	client.headers(t, ":path", headracev1.SubscriberService_Subscribe_FullMethodName)
	client.message(t, &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Settle_{Settle: &headracev1.SubscribeRequest_Settle{
		Number: 7, Ranges: []*headracev1.SequenceRange{{First: 2, Last: 4}}, Verdict: headracev1.Verdict_VERDICT_ACK,
	}}})
	server.headers(t, ":status", "200")
	server.message(t, &headracev1.SubscribeResponse{Frame: &headracev1.SubscribeResponse_Opened_{
		Opened: &headracev1.SubscribeResponse_Opened{SessionId: "x"},
	}})
	server.headers(t, "grpc-status", "14")
	for _, size := range []int{1, 7, 1 << 20} {
		h := record.New()
		tap := newTap("c", h)
		feed(client.Bytes(), size, tap.fromClient)
		feed(server.Bytes(), size, tap.fromServer)
		for _, want := range []record.Match{
			{"event": {"client.settle"}, "number": {"7"}, "ranges": {"2-4"}, "verdict": {"ACK"}, "link": {"c"}},
			{"event": {"server.opened"}, "session": {"x"}, "resumed": {"no"}},
			{"event": {"stream.ended"}, "status": {"Unavailable"}, "by": {"server"}},
		} {
			if len(h.Find(want)) != 1 {
				t.Errorf("in parts of %d: no %s among %v", size, want, h.Events())
			}
		}
		if len(h.Events()) != 3 {
			t.Errorf("in parts of %d: %v", size, h.Events())
		}
	}
}

func feed(b []byte, size int, to func([]byte)) {
	for len(b) > 0 {
		n := min(size, len(b))
		to(b[:n])
		b = b[n:]
	}
}

// TestWhatIsNoHTTP2IsToldOnce: and passes.
func TestWhatIsNoHTTP2IsToldOnce(t *testing.T) {
	h := record.New()
	tap := newTap("c", h)
	tap.fromServer(bytes.Repeat([]byte{0, 0, 0, 9, 9}, 10))
	tap.fromServer(bytes.Repeat([]byte{0, 0, 0, 9, 9}, 10))
	if len(h.Events()) != 1 || h.Events()[0].Kind != "tap.lost" {
		t.Errorf("%v", h.Events())
	}
}

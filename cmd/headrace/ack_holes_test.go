package main_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/internal/serverproc"
	"github.com/headrace/headrace/internal/testscale"
	"github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/record"
)

// holeMessages are published, and every second one of them is acked.
var holeMessages = testscale.Sizes{Full: 10_000_000, Ordinary: 100_000, Race: 20_000}

const (
	// rangesASettle is the most that a frame may have.
	rangesASettle = 10_000
	// maxAckBytesAChunk bounds what is stored of 4,096 offsets: a bitmap with its key
	// and its envelope.
	maxAckBytesAChunk = 600
	// resultsAtOnce messages are published before the last one's result is awaited.
	resultsAtOnce = 10_000
)

// TestEverySecondMessageAckedSurvivesAKill: the session holds the others until the
// server is killed; then they come again, once each and uncharged, and nothing that
// was acked does. What is stored of the holes is a bitmap.
func TestEverySecondMessageAckedSurvivesAKill(t *testing.T) {
	n := uint64(holeMessages.Now())
	dir := filepath.Join(t.TempDir(), "data")
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders", "--lease", "12h", "--max-lease", "12h",
		"--max-outstanding", strconv.FormatUint(n, 10), "--max-outstanding-bytes", "16GiB")
	publishNumbered(t, process.Address, n)
	h := holdSession(t, process.Address, n)
	h.ackOdd(n)
	t.Logf("%d messages, %d acked: %s, %d MiB on disk", n, n/2, memoryOf(t, process), dirBytes(t, dir)>>20)
	process.Kill()
	checkAckRecords(t, dir, n)

	began := time.Now()
	process = serve(t, dir)
	t.Logf("restarted in %v: %s", time.Since(began).Round(time.Millisecond), memoryOf(t, process))
	h = holdSession(t, process.Address, n)
	h.expectEven(n)
	t.Logf("all that was not acked is delivered %v after the start: %s",
		time.Since(began).Round(time.Millisecond), memoryOf(t, process))
	if info := (client{t, process.Address}).object("sub", "info", "billing"); info["backlog_messages"] != float64(n-n/2) {
		t.Errorf("%v", info)
	}
}

// publishNumbered publishes n messages that hold their numbers, from 0.
func publishNumbered(t *testing.T, addr string, n uint64) {
	t.Helper()
	publisher, err := headrace.Dial(t.Context(), addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = publisher.Close() }() // Every result was awaited.
	topic := publisher.Topic("orders")
	for i := range n {
		result := topic.PublishAsync(t.Context(), headrace.Message{Data: strconv.AppendUint(nil, i, 10)})
		if (i+1)%resultsAtOnce != 0 && i+1 != n {
			continue
		}
		// Results come in order.
		if at, err := result.Position(t.Context()); err != nil || at.Offset != i {
			t.Fatalf("message %d is at %v, %v", i, at, err)
		}
	}
}

// holder is a session that takes whatever comes and settles only what it is told to.
type holder struct {
	t      *testing.T
	stream grpc.BidiStreamingClient[headracev1.SubscribeRequest, headracev1.SubscribeResponse]
	// settles were sent, confirmed of them are durable.
	settles, confirmed uint64
}

// holdSession opens a session with a window of n messages.
func holdSession(t *testing.T, addr string, n uint64) *holder {
	t.Helper()
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() {
		cancel()
		_ = conn.Close()
	})
	stream, err := headracev1.NewSubscriberServiceClient(conn).Subscribe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	h := &holder{t: t, stream: stream}
	h.send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Open_{Open: &headracev1.SubscribeRequest_Open{
		Subscription: "billing", Window: &headracev1.SubscribeRequest_Window{Messages: new(n), Bytes: new(uint64(16 << 30))},
	}}})
	return h
}

func (h *holder) send(r *headracev1.SubscribeRequest) {
	h.t.Helper()
	if err := h.stream.Send(r); err != nil {
		_, err = h.stream.Recv()
		h.t.Fatalf("send: %v", err)
	}
}

// nextBatch takes frames in until deliveries come; nil once every settle is
// confirmed and the caller wants no deliveries. Each heartbeat is answered.
func (h *holder) nextBatch(wanted bool) *headracev1.SubscribeResponse_Batch {
	h.t.Helper()
	for wanted || h.confirmed < h.settles {
		r, err := h.stream.Recv()
		if err != nil {
			h.t.Fatalf("receive: %v", err)
		}
		if b := r.GetBatch(); b != nil {
			return b
		}
		if len(r.GetSettleResult().GetFailures()) > 0 {
			h.t.Fatalf("settles failed: %v", r)
		}
		h.confirmed = max(h.confirmed, r.GetSettleResult().GetConfirmedThrough())
		if r.GetFlowState() != nil {
			h.send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Heartbeat{Heartbeat: &headracev1.Heartbeat{}}})
		}
	}
	return nil
}

// number is what a message says it is.
func (h *holder) number(m *headracev1.Message) uint64 {
	h.t.Helper()
	i, err := strconv.ParseUint(string(m.GetData()), 10, 64)
	if err != nil {
		h.t.Fatal(err)
	}
	return i
}

// ackOdd receives n messages, acks those with odd numbers, and waits until all of
// that is durable.
func (h *holder) ackOdd(n uint64) {
	h.t.Helper()
	var odd []*headracev1.SequenceRange
	for received := uint64(0); received < n; {
		b := h.nextBatch(true)
		for i, m := range b.GetMessages() {
			if h.number(m)%2 == 1 {
				sequence := b.GetFirstSequence() + uint64(i)
				odd = append(odd, &headracev1.SequenceRange{First: sequence, Last: sequence})
			}
			if len(odd) == rangesASettle {
				h.ack(odd)
				odd = odd[:0]
			}
		}
		received += uint64(len(b.GetMessages()))
	}
	if len(odd) > 0 {
		h.ack(odd)
	}
	if h.nextBatch(false) != nil {
		h.t.Fatal("more came than was published")
	}
}

func (h *holder) ack(ranges []*headracev1.SequenceRange) {
	h.t.Helper()
	h.settles++
	h.send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Settle_{Settle: &headracev1.SubscribeRequest_Settle{
		Number: h.settles, Ranges: ranges, Verdict: headracev1.Verdict_VERDICT_ACK,
	}}})
}

// expectEven receives the even ones of n numbers, each once and as a first attempt.
func (h *holder) expectEven(n uint64) {
	h.t.Helper()
	seen := make([]bool, n)
	for left := n - n/2; left > 0; {
		b := h.nextBatch(true)
		if len(b.GetAttempts()) > 0 {
			h.t.Fatalf("charged: %v", b.GetAttempts())
		}
		for _, m := range b.GetMessages() {
			i := h.number(m)
			if i >= n || i%2 == 1 || seen[i] {
				h.t.Fatalf("message %d came though it was acked, or again", i)
			}
			seen[i] = true
			left--
		}
	}
}

// checkAckRecords looks at what a stopped store holds of n messages of which every
// second one is acked.
func checkAckRecords(t *testing.T, dir string, n uint64) {
	t.Helper()
	i, err := badgerlog.Inspect(badgerlog.DefaultOptions(dir), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	records, bytes := 0, 0
	err = i.View(func(r storage.Reader) error {
		return r.Ascend(record.AppendPrefix(nil, record.KindAck), nil, func(key []byte, value storage.Value) (bool, error) {
			return true, value.Read(func(value []byte) error {
				records++
				bytes += len(key) + len(value)
				return nil
			})
		})
	})
	if err := errors.Join(err, i.Close()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d ack records of %d bytes in all", records, bytes)
	chunks := int(n/storage.ChunkOffsets) + 1
	if records == 0 || records > chunks || bytes > chunks*maxAckBytesAChunk {
		t.Errorf("%d records of %d bytes for %d chunks", records, bytes, chunks)
	}
}

// memoryOf says what memory a process has and had.
func memoryOf(t *testing.T, p *serverproc.Process) string {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.PID()), "status"))
	if err != nil {
		return "memory unknown" // Not on this system.
	}
	var found []string
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && (fields[0] == "VmRSS:" || fields[0] == "VmHWM:" || fields[0] == "RssAnon:") {
			found = append(found, strings.Join(fields, " "))
		}
	}
	return strings.Join(found, ", ")
}

// dirBytes is what the files of a directory take of the disk.
func dirBytes(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	const blockBytes = 512
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			bytes += stat.Blocks * blockBytes
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

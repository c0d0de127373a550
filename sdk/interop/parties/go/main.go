// Command go is the party of the Go SDK: `go doc ./sdk/interop` says what it is told
// and what it writes.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
	"google.golang.org/protobuf/proto"
)

// The messages are as large as a server allows.
const (
	maxFrameBytes = 64 << 20
	windowBytes   = 256 << 20
)

func main() {
	err := errors.New("usage: go publish|consume ADDRESS PLAN")
	if len(os.Args) == 4 {
		err = run(context.Background(), os.Args[1], os.Args[2], os.Args[3])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "party:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, do, address, plan string) (err error) {
	client, err := headrace.Dial(ctx, address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	text, err := os.ReadFile(plan)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if do == "publish" {
			err = publish(ctx, client.Topic(words[0]), words[1], words[2])
		} else {
			err = consume(ctx, client.Subscription(words[0]), words[1], words[2], words[3])
		}
		if err != nil {
			return fmt.Errorf("%s: %w", words[0], err)
		}
	}
	return nil
}

func publish(ctx context.Context, topic *headrace.Topic, corpus, ids string) error {
	in, err := os.Open(corpus)
	if err != nil {
		return err
	}
	defer in.Close()
	var results []*headrace.PublishResult
	for r := bufio.NewReader(in); ; {
		m, err := read(r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		results = append(results, topic.PublishAsync(ctx, headrace.Message{
			Data:        m.GetData(),
			Attributes:  m.GetAttributes(),
			OrderingKey: m.GetOrderingKey(),
			ContentType: m.GetContentType(),
			DedupeID:    m.GetDedupeId(),
		}))
	}
	var lines strings.Builder
	for _, result := range results {
		id, err := result.Get(ctx)
		if err != nil {
			return err
		}
		lines.WriteString(string(id) + "\n")
	}
	return os.WriteFile(ids, []byte(lines.String()), 0o600)
}

func read(r io.Reader) (*headracev1.Message, error) {
	var length uint32
	if err := binary.Read(r, binary.BigEndian, &length); err != nil {
		return nil, err
	}
	encoded := make([]byte, length)
	if _, err := io.ReadFull(r, encoded); err != nil {
		return nil, err
	}
	m := &headracev1.Message{}
	return m, proto.Unmarshal(encoded, m)
}

func consume(ctx context.Context, subscription *headrace.Subscription, count, handlers, output string) error {
	left, err1 := strconv.Atoi(count)
	concurrency, err2 := strconv.Atoi(handlers)
	file, err3 := os.Create(output)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex
	err := subscription.Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
		mu.Lock()
		defer mu.Unlock()
		left--
		if left == 0 {
			stop()
		}
		return write(w, d)
	}, headrace.WithConcurrency(concurrency), headrace.WithWindow(headrace.DefaultWindowMessages, windowBytes),
		headrace.WithMaxFrameBytes(maxFrameBytes))
	return errors.Join(err, w.Flush(), file.Close())
}

// write notes what the SDK shows of a delivery.
func write(w io.Writer, d *headrace.Delivery) error {
	encoded, err := proto.Marshal(&headracev1.Message{
		MessageId:   string(d.ID()),
		Data:        d.Data,
		Attributes:  d.Attributes,
		OrderingKey: d.OrderingKey,
		ContentType: d.ContentType,
	})
	if err != nil {
		return err
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(encoded))), encoded...))
	return err
}

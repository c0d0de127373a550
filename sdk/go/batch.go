package headrace

import (
	"fmt"

	"github.com/headrace/headrace/sdk/go/internal/wire"
)

// brokenFrame is an error of a server, or of something between, that does not
// keep the protocol. The stream is broken by it.
func brokenFrame(format string, args ...any) error {
	return &Error{Code: "INTERNAL", Message: "the server broke the protocol: " + fmt.Sprintf(format, args...)}
}

// decodeBatch makes the deliveries of a batch: its messages, each with its
// sequence, position and attempt. All are in one piece of memory.
func decodeBatch(b *wire.Batch) ([]Delivery, error) {
	deliveries := make([]Delivery, len(b.Messages))
	for i, raw := range b.Messages {
		var m wire.Message
		if err := wire.ParseMessage(raw, &m); err != nil {
			return nil, brokenFrame("delivery %d: %v", b.FirstSequence+uint64(i), err)
		}
		deliveries[i] = Delivery{
			Message: Message{
				Data: m.Data, Attributes: m.Attributes, OrderingKey: m.OrderingKey, ContentType: m.ContentType,
			},
			sequence: b.FirstSequence + uint64(i), messageID: m.MessageID, publishTime: m.PublishTime,
			attempt: 1, size: wire.FramedSize(len(raw)),
		}
	}
	if err := place(deliveries, b.Runs); err != nil {
		return nil, err
	}
	return deliveries, countAttempts(deliveries, b)
}

// place gives each delivery its position.
func place(deliveries []Delivery, runs []wire.Run) error {
	next := 0
	for _, r := range runs {
		if int(r.Count) > len(deliveries)-next {
			return brokenFrame("a batch of %d messages has positions for more", len(deliveries))
		}
		for i := range r.Count {
			deliveries[next].position = Position{Partition: r.Partition, Offset: r.FirstOffset + uint64(i)}
			next++
		}
	}
	if next != len(deliveries) {
		return brokenFrame("a batch of %d messages has %d positions", len(deliveries), next)
	}
	return nil
}

// countAttempts gives the deliveries that are not the first one their attempt.
func countAttempts(deliveries []Delivery, b *wire.Batch) error {
	for _, r := range b.Attempts {
		from := r.FirstSequence - b.FirstSequence
		if from > uint64(len(deliveries)) || uint64(r.Count) > uint64(len(deliveries))-from {
			return brokenFrame("a batch has attempts of deliveries that it does not have")
		}
		for i := range r.Count {
			deliveries[from+uint64(i)].attempt = r.Attempt
		}
	}
	return nil
}

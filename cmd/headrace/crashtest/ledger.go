package crashtest

import (
	"fmt"
	"sync"

	"github.com/headrace/headrace/sdk/go"
)

// MessageID names a message before any server has seen it: which publisher made
// it, and as which one.
type MessageID struct {
	Publisher uint32
	// Number counts the publisher's messages from 1.
	Number uint32
}

// String gives "publisher/number".
func (id MessageID) String() string { return fmt.Sprintf("%d/%d", id.Publisher, id.Number) }

// kind is what an entry of the ledger says.
type kind uint8

// The kinds of entries.
const (
	// attempted: a publisher is about to hand the message to its client.
	attempted kind = iota + 1
	// acknowledged: the server said that the message is stored, and where.
	acknowledged
	// refused: the publisher was told that the message is not stored.
	refused
	// unknown: the publisher was told that the message may be stored.
	unknown
	// delivered: a consumer got the message.
	delivered
	// confirmed: the server said that the consumer's ack is durable.
	confirmed
	// damaged: a consumer got a message whose body is not what was published.
	damaged
)

// entry is one line of the ledger.
type entry struct {
	kind         kind
	subscription uint8
	id           MessageID
	position     headrace.Position
}

// Ledger records what happened, in order. It is safe for concurrent use.
type Ledger struct {
	mu      sync.Mutex
	entries []entry
	// told is signalled (capacity 1, merged) when a publish was acknowledged.
	told chan struct{}
}

// NewLedger makes an empty ledger.
func NewLedger() *Ledger { return &Ledger{told: make(chan struct{}, 1)} }

// Attempted says that a publisher is about to publish a message.
func (l *Ledger) Attempted(id MessageID) { l.add(entry{kind: attempted, id: id}) }

// Acknowledged says that a message is stored at p.
func (l *Ledger) Acknowledged(id MessageID, p headrace.Position) {
	l.add(entry{kind: acknowledged, id: id, position: p})
	select {
	case l.told <- struct{}{}:
	default:
	}
}

// Refused says that a message is not stored.
func (l *Ledger) Refused(id MessageID) { l.add(entry{kind: refused, id: id}) }

// Unknown says that a message may be stored.
func (l *Ledger) Unknown(id MessageID) { l.add(entry{kind: unknown, id: id}) }

// Delivered says that a consumer of a subscription got a message.
func (l *Ledger) Delivered(subscription uint8, id MessageID, p headrace.Position) {
	l.add(entry{kind: delivered, subscription: subscription, id: id, position: p})
}

// Confirmed says that the ack of a message is durable.
func (l *Ledger) Confirmed(subscription uint8, id MessageID, p headrace.Position) {
	l.add(entry{kind: confirmed, subscription: subscription, id: id, position: p})
}

// Damaged says that what stands at p has another body than was published.
func (l *Ledger) Damaged(subscription uint8, p headrace.Position) {
	l.add(entry{kind: damaged, subscription: subscription, position: p})
}

// Told is signalled when a publish was acknowledged since it was last taken.
func (l *Ledger) Told() <-chan struct{} { return l.told }

func (l *Ledger) add(e entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, e)
}

// Count is how many entries say something, by its name: "attempted",
// "acknowledged", "refused", "unknown", "delivered", "confirmed", "damaged".
func (l *Ledger) Count() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	counts := map[string]int{}
	for _, e := range l.entries {
		counts[kindNames[e.kind]]++
	}
	return counts
}

var kindNames = map[kind]string{
	attempted: "attempted", acknowledged: "acknowledged", refused: "refused", unknown: "unknown",
	delivered: "delivered", confirmed: "confirmed", damaged: "damaged",
}

package backup

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/inspect"
	"github.com/headrace/headrace/storage/record"
)

// account follows the records and batches of a backup in their order, and knows what
// is there at the end. Writing and reading keep the same account, so that a reader
// can compare.
type account struct {
	contents Contents
	chain    inspect.Chain
	lastSeen uint64 // the last batch's number

	topics        map[storage.TopicID]bool
	subscriptions map[storage.SubscriptionID]bool
	partitions    map[storage.PartitionID]record.Partition
	heads         map[storage.PartitionID]record.Mark
	shard         record.Shard
}

func newAccount() account {
	return account{
		topics:        map[storage.TopicID]bool{},
		subscriptions: map[storage.SubscriptionID]bool{},
		partitions:    map[storage.PartitionID]record.Partition{},
		heads:         map[storage.PartitionID]record.Mark{},
	}
}

// records takes in a block of records.
func (a *account) records(body []byte) error {
	return eachOp(body, func(key, value []byte) error {
		if len(value) == 0 {
			return fmt.Errorf("%w: a record without a value", ErrDamaged)
		}
		a.contents.Records++
		return a.apply(key, value)
	})
}

// batch takes in a batch; none may be missing between two.
func (a *account) batch(body []byte) error {
	if len(body) < batchHeadBytes {
		return fmt.Errorf("%w: a batch of %d bytes", ErrDamaged, len(body))
	}
	number := binary.BigEndian.Uint64(body)
	switch {
	case a.contents.Batches == 0:
		a.contents.FirstBatch = number
	case number != a.lastSeen+1:
		return fmt.Errorf("%w: batch %d after batch %d", ErrDamaged, number, a.lastSeen)
	}
	a.lastSeen = number
	a.contents.Batches++
	return eachOp(body[batchHeadBytes:], a.apply)
}

// apply takes in a put, or a delete when value is empty.
func (a *account) apply(key, value []byte) error {
	if len(key) == 0 {
		return fmt.Errorf("%w: an empty key", ErrDamaged)
	}
	switch record.Kind(key[0]) {
	case record.KindBatch:
		return a.header(key, value)
	case record.KindTopic:
		return a.topic(key, value)
	case record.KindSubscription:
		return a.subscription(key, value)
	case record.KindPartition:
		return a.partition(key, value)
	case record.KindPointer:
		return a.pointer(key, value)
	case record.KindShard:
		return decodeInto(&a.shard, record.DecodeShard, key, value)
	default:
		return nil
	}
}

// decodeInto decodes a record that is put.
func decodeInto[T any](into *T, decode func(key, value []byte) (T, error), key, value []byte) (err error) {
	if len(value) > 0 {
		*into, err = decode(key, value)
	}
	return err
}

func (a *account) header(key, value []byte) error {
	var h record.Header
	err := decodeInto(&h, record.DecodeHeader, key, value)
	if err == nil && h.Number > 0 {
		a.chain.Add(h)
	}
	return err
}

func (a *account) topic(key, value []byte) error {
	id, err := record.ParseTopicKey(key)
	if err != nil {
		return err
	}
	var t storage.Topic
	err = decodeInto(&t, record.DecodeTopic, key, value)
	return setOrDelete(a.topics, id, true, t.State == storage.Active, err)
}

func (a *account) subscription(key, value []byte) error {
	id, err := record.ParseSubscriptionKey(key)
	if err != nil {
		return err
	}
	var s storage.Subscription
	err = decodeInto(&s, record.DecodeSubscription, key, value)
	return setOrDelete(a.subscriptions, id, true, s.State == storage.Active, err)
}

func (a *account) partition(key, value []byte) error {
	id, err := record.ParsePartitionKey(key)
	if err != nil {
		return err
	}
	var p record.Partition
	err = decodeInto(&p, record.DecodePartition, key, value)
	return setOrDelete(a.partitions, id, p, len(value) > 0, err)
}

// pointer moves a partition's head: pointers go at the other end.
func (a *account) pointer(key, value []byte) error {
	id, base, err := record.ParsePointerKey(key)
	if err != nil || len(value) == 0 {
		return err
	}
	x, err := record.DecodePointer(key, value)
	if x.End(base) <= a.heads[id].Offset {
		return err
	}
	return setOrDelete(a.heads, id, record.Mark{Offset: x.End(base), Before: x.After()}, true, err)
}

func setOrDelete[K comparable, V any](m map[K]V, key K, value V, set bool, err error) error {
	switch {
	case err != nil:
		return err
	case set:
		m[key] = value
	default:
		delete(m, key)
	}
	return nil
}

// close gives what is there at the end. Its batch chain must be whole.
func (a *account) close() (Contents, error) {
	c := a.contents
	last := a.chain.Newest()
	c.LastBatch, c.Epoch, c.Hash = last.Number, last.Epoch, last.Hash()
	if last.Number == 0 || c.Batches > 0 && a.lastSeen != last.Number {
		return c, fmt.Errorf("%w: the last batch is %d, the chain ends at %d", ErrDamaged, a.lastSeen, last.Number)
	}
	if breaks := a.chain.Breaks(a.shard.AcceptedLosses); len(breaks) > 0 {
		return c, fmt.Errorf("%w: the chain of batches is broken at %d-%d", ErrDamaged, breaks[0].First, breaks[0].Last)
	}
	c.Topics, c.Subscriptions = uint64(len(a.topics)), uint64(len(a.subscriptions))
	for id, p := range a.partitions {
		if !a.topics[id.Topic] {
			continue // It is being removed.
		}
		head := p.Head
		if h := a.heads[id]; h.Offset > head.Offset {
			head = h
		}
		c.Messages += head.Before.Messages - p.First.Before.Messages
		c.Bytes += head.Before.Bytes - p.First.Before.Bytes
		c.Positions = append(c.Positions, Position{Partition: id, First: p.First.Offset, Next: head.Offset})
	}
	slices.SortFunc(c.Positions, func(x, y Position) int {
		return cmp.Or(cmp.Compare(x.Partition.Topic, y.Partition.Topic), cmp.Compare(x.Partition.Partition, y.Partition.Partition))
	})
	return c, nil
}

// eachOp calls fn for each put and delete in a body.
func eachOp(body []byte, fn func(key, value []byte) error) error {
	for len(body) > 0 {
		if len(body) < opHeadBytes {
			return fmt.Errorf("%w: a record is cut off", ErrDamaged)
		}
		keys, values := int(binary.BigEndian.Uint16(body)), int(binary.BigEndian.Uint32(body[2:]))
		body = body[opHeadBytes:]
		if keys+values > len(body) {
			return fmt.Errorf("%w: a record is cut off", ErrDamaged)
		}
		if err := fn(body[:keys:keys], body[keys:keys+values:keys+values]); err != nil {
			return err
		}
		body = body[keys+values:]
	}
	return nil
}

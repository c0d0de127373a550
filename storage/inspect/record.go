package inspect

import (
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// Record checks a record by itself: that its key is one, and that its value is what
// was written under that key, message bodies included. What a letter that is spoken
// for holds is not known here, and not checked.
func Record(key, value []byte) error {
	if len(key) == 0 {
		return fmt.Errorf("%w: an empty key", storage.ErrDataLoss)
	}
	check, known := checks[record.Kind(key[0])]
	if !known {
		return nil
	}
	return check(key, value)
}

// checks are by the letter of the key.
var checks = map[record.Kind]func(key, value []byte) error{
	record.KindBatch:        decodes(record.DecodeHeader),
	record.KindSegment:      checkSegment,
	record.KindPointer:      decodes(record.DecodePointer),
	record.KindPartition:    decodes(record.DecodePartition),
	record.KindCursor:       decodes(record.DecodeCursor),
	record.KindAck:          decodes(record.DecodeAckPart),
	record.KindProducer:     checkProducer,
	record.KindDedupe:       decodes(record.DecodeDedupe),
	record.KindHistory:      decodes(record.DecodeHistory),
	record.KindDeadLetter:   decodes(record.DecodeDeadLetter),
	record.KindParked:       decodes(record.DecodeParked),
	record.KindSession:      checkSession,
	record.KindTopic:        decodes(record.DecodeTopic),
	record.KindSubscription: decodes(record.DecodeSubscription),
	record.KindShard:        decodes(record.DecodeShard),
}

func decodes[T any](decode func(key, value []byte) (T, error)) func(key, value []byte) error {
	return func(key, value []byte) error {
		_, err := decode(key, value)
		return err
	}
}

// checkProducer checks a record of a producer, of which there are three forms.
func checkProducer(key, value []byte) error {
	if _, err := record.ParseProducerKey(key); err == nil {
		return decodes(record.DecodeProducer)(key, value)
	}
	if _, _, err := record.ParseProducerTopicKey(key); err == nil {
		return decodes(record.DecodeProducerTopic)(key, value)
	}
	return decodes(record.DecodeProducerPage)(key, value)
}

func checkSegment(key, value []byte) error {
	segment, err := record.OpenSegment(key, value)
	if err != nil {
		return err
	}
	return segment.Check()
}

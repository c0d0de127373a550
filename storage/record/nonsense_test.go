package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/headrace/headrace/storage"
)

// resealed gives a sample's value with its body changed and a right checksum: what
// a bug or a forger would write, not what a disk would spoil.
func resealed(r encoded, change func(value []byte)) []byte {
	value := bytes.Clone(r.value)
	change(value)
	return repairedChecksum(r.key, value)
}

func repairedChecksum(key, value []byte) []byte {
	end := len(value) - crcBytes
	binary.BigEndian.PutUint32(value[end:], checksum(key, value[:end]))
	return value
}

// TestNonsenseUnderARightChecksumIsDataLoss: what no encoder makes is not accepted,
// whatever its checksum says.
func TestNonsenseUnderARightChecksumIsDataLoss(t *testing.T) {
	records := sampleRecords(t)
	set := func(at int, b ...byte) func([]byte) {
		return func(value []byte) { copy(value[at:], b) }
	}
	// Where fields stand in the values; see the layouts.
	const (
		hash      = 1 + 8 + 8 + 8
		form      = 1
		holeSpan  = 2
		runSpan   = 2 + 8 + 2 + 4 + 4 + 4
		parts     = 1 + 8
		ackForm   = parts + 1
		firstRun  = ackForm + 1 + 2
		secondRun = firstRun + ackRunBytes
		attempts  = firstRun + 3*ackRunBytes + 2

		pageOutcome  = pageHeadBytes
		pageParts    = pageOutcome + 4 + 2 + 2 + 1 + 8
		failures     = 1 + 8
		failureKind  = failures + 1 + 8
		clientLength = failureKind + 1

		parkedKeyLength = 1 + 8 + 8 + 1
		deadReason      = 1 + 8 + 8 + 8
		deadPresence    = deadReason + 1 + 3*4
		deadFailures    = deadPresence + 1 + 4

		// The forward failure stands before the message, "wire bytes".
		forwardFailure = crcBytes + 10 + 1

		clientOfSession = versionBytes + sessionHeadBytes - 2
		blockMessages   = versionBytes + 8 + 8
		blockLive       = blockMessages + 1
		blockStarted    = blockLive + 8
		blockRuns       = blockStarted + 8 + 8
		blockKeyed      = blockRuns + 1
		blockFirstRun   = blockKeyed + 1
		settleFailures  = versionBytes + 8
	)
	for name, c := range map[string]struct {
		sample string
		change func([]byte)
	}{
		"another version":               {"c cursor", set(0, 0xfe)},
		"another hash":                  {"b header", set(hash, 0)},
		"an unknown form of pointer":    {"m pointer", set(form, 3)},
		"a hole in a run's size":        {"m pointer", set(form, pointerHole)},
		"a run of nothing":              {"m pointer", set(runSpan, 0, 0, 0, 0)},
		"a hole of nothing":             {"m hole", set(holeSpan, 0, 0, 0, 0, 0, 0, 0, 0)},
		"more messages than offsets":    {"m hole", set(holeSpan, 0, 0, 0, 0, 0, 0, 0, 1)},
		"a span past the last offset":   {"m hole", set(holeSpan, 255, 255, 255, 255, 255, 255, 255, 255)},
		"a part of none":                {"a runs", set(parts, 0)},
		"no settled set in part 0":      {"a runs", set(ackForm, ackNone)},
		"an unknown form of set":        {"a runs", set(ackForm, 3)},
		"a bitmap that runs would beat": {"a bitmap", func(v []byte) { clear(v[ackForm+2 : ackForm+1+ackBitmapBytes]) }},
		"a set in a second part":        {"a second part", set(ackForm, ackRuns)},
		"a run backwards":               {"a runs", set(secondRun, 0, 200, 0, 100)},
		"runs that touch":               {"a runs", set(secondRun, 0, 1)},
		"a run past the chunk":          {"a runs", set(secondRun+ackRunBytes, 0x0f, 0xff, 0x10, 0x00)},
		"an attempt twice":              {"a runs", set(attempts+7, 0)},
		"a varint that is too long":     {"a runs", set(attempts+10, 0)},
		"a tail before all pages":       {"x producer", set(1+8+8+8, 0, 0, 0, 0, 0, 0, 0, 0)},
		"a tail after all pages":        {"x producer", set(1+8+8+8, 1)},
		"a tail of more than a ring":    {"x producer", set(1+8+8+8, 0, 0, 0, 0, 0, 0, 0, 1)},
		"no messages in a topic":        {"x producer's topic", set(1, 0, 0, 0, 0, 0, 0, 0, 0)},
		"messages by no page":           {"x producer's topic", set(1+8, 0, 0, 0, 0, 0, 0, 0, 0)},
		"a page of another slot":        {"x producer's page", set(8, 1)},
		"a batch after one to come":     {"x producer's page", set(pageOutcome+4+1, 0x21)},
		"a batch of none":               {"x producer's page", set(pageOutcome+4+2+2, 0)},
		"a batch with a part missing":   {"x producer's page", set(pageOutcome+4+2+2, 10)},
		"a batch with a part of none":   {"x producer's page", set(pageParts+1, 0)},
		"a part that goes on nowhere":   {"x producer's page", set(pageParts, 7)},
		"ids after a batch to come":     {"i dedupe ids", set(1+8, 1)},
		"two ids of one offset":         {"i dedupe ids", set(1+8+8+8+17+16, 0)},
		"an id that is cut":             {"i dedupe ids", set(1+8+8+8+17+16, 0x80)},
		"more failures than are kept":   {"r history", set(failures, storage.MaxFailures+1)},
		"failures that are not there":   {"r history", set(failures, 3)},
		"a parked key past the end":     {"k parked", set(parkedKeyLength, 0xff)},
		"bytes behind a parked key":     {"k parked", set(parkedKeyLength, 1)},
		"bytes behind the failures":     {"r history", set(failures, 1)},
		"a failure of no kind":          {"r history", set(failureKind, 0)},
		"a text past the end":           {"r history", set(clientLength, 0xff)},
		"a dead letter for no reason":   {"q dead letter", set(deadReason, 0)},
		"a key that is half there":      {"q dead letter", set(deadPresence, 0)},
		"a presence of two":             {"q dead letter", set(deadPresence, 2)},
		"a dead letter without a body":  {"q dead letter", set(deadFailures, 200)},
		"a forward failure of none":     {"q forwarded dead letter", func(value []byte) { value[len(value)-forwardFailure] = 6 }},
		"a client past the end":         {"l session", set(clientOfSession, 1)},
		"a block of nothing":            {"l block", set(blockMessages, 0)},
		"more live than there are":      {"l block", set(blockLive+7, 0x1f)},
		"started and not live":          {"l block", set(blockStarted+7, 0x07)},
		"a run of no messages":          {"l block", set(blockFirstRun+heldRunBytes-1, 0)},
		"runs of more messages":         {"l block", set(blockFirstRun+heldRunBytes-1, 4)},
		"runs that are not there":       {"l block", set(blockRuns, 3)},
		"keys that are not there":       {"l block", set(blockKeyed, 1)},
		"half a key":                    {"l keyed block", set(blockFirstRun+2*heldRunBytes+4*heldSizeBytes+4, 0)},
		"failures of no settle":         {"l failures", set(settleFailures, 0)},
		"more failures than there are":  {"l failures", set(settleFailures, 3)},
	} {
		r := records[c.sample]
		if _, _, err := decoders[Kind(r.key[0])](r.key, resealed(r, c.change)); !errors.Is(err, storage.ErrDataLoss) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCatalogNonsenseIsDataLoss: ids that are not the key's, states that are never
// stored, bytes that are not Protobuf.
func TestCatalogNonsenseIsDataLoss(t *testing.T) {
	topicKey, subscriptionKey := AppendTopicKey(nil, sampleTopic.ID), AppendSubscriptionKey(nil, sampleSubscription.ID)
	topic := func(change func(*storage.Topic)) []byte {
		record := sampleTopic
		change(&record)
		value, _ := AppendTopic(nil, topicKey, &record)
		return value
	}
	subscription := func(change func(*storage.Subscription)) []byte {
		record := sampleSubscription
		change(&record)
		value, _ := AppendSubscription(nil, subscriptionKey, &record)
		return value
	}
	for name, c := range map[string]encoded{
		"topic of another id":        {topicKey, topic(func(r *storage.Topic) { r.ID++ })},
		"topic of no state":          {topicKey, topic(func(r *storage.Topic) { r.State = 0 })},
		"topic that is damaged":      {topicKey, topic(func(r *storage.Topic) { r.State = storage.Damaged })},
		"subscription of another id": {subscriptionKey, subscription(func(r *storage.Subscription) { r.ID++ })},
		"subscription of no state":   {subscriptionKey, subscription(func(r *storage.Subscription) { r.State = 0 })},
		"not Protobuf":               {topicKey, repairedChecksum(topicKey, []byte{catalogVersion, 0xff, 0xff, 0, 0, 0, 0})},
	} {
		if _, _, err := decoders[Kind(c.key[0])](c.key, c.value); !errors.Is(err, storage.ErrDataLoss) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSegmentNonsenseIsDataLoss: a directory that does not add up, under a right
// checksum of the trailer.
func TestSegmentNonsenseIsDataLoss(t *testing.T) {
	value := buildSegment(segmentKey, plainAppends())
	bodies := len("aabbbcdde")
	run := func(i int) int { return bodies + i*runBytes }
	for name, change := range map[string]func([]byte){
		"no runs":                     func(v []byte) { clear(v[len(v)-segmentEndBytes+8:][:4]) },
		"an unknown flag":             func(v []byte) { v[len(v)-crcBytes-2] = 2 },
		"another version":             func(v []byte) { v[len(v)-crcBytes-1] = 2 },
		"a run without messages":      func(v []byte) { v[run(2)-5] = 2 },
		"a run without bytes":         func(v []byte) { v[run(2)-1] = 5 },
		"more messages than ends":     func(v []byte) { v[run(2)-5]++ },
		"more bytes than bodies":      func(v []byte) { v[run(2)-1]++ },
		"offsets past the last one":   func(v []byte) { binary.BigEndian.PutUint64(v[run(0)+6:], math.MaxUint64) },
		"ends that go back":           func(v []byte) { v[run(2)+3] = 9 },
		"ends that are not the run's": func(v []byte) { v[run(2)+7] = 4 },
	} {
		spoiled := bytes.Clone(value)
		change(spoiled)
		end := len(spoiled) - crcBytes
		binary.BigEndian.PutUint32(spoiled[end:], checksum(segmentKey, spoiled[bodies:end]))
		r, err := OpenSegment(segmentKey, spoiled)
		if err == nil {
			err = r.Check()
		}
		if !errors.Is(err, storage.ErrDataLoss) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

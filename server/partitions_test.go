package server_test

import (
	"fmt"
	"strconv"
	"testing"

	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage/storagetest"
)

// at is a message's place, and published and delivered ones are compared by it.
type at struct {
	partition uint32
	offset    uint64
}

// openWide opens a session that may hold half of what is published.
var openWide = &headracev1.SubscribeRequest_Open{
	Subscription: "workers", Window: &headracev1.SubscribeRequest_Window{Messages: proto.Uint64(3000)},
}

// TestABatchForAllOf256PartitionsGoesTheWholeWay: over a restart too.
func TestABatchForAllOf256PartitionsGoesTheWholeWay(t *testing.T) {
	const partitions, messages = 256, 6000
	home := storagetest.MemoryHome()
	first := servertest.Start(t, servertest.Options{Home: home})
	first.CreateTopicWith(&headracev1.Topic{Name: "orders", Partitions: partitions})
	first.CreateSubscription("workers", "orders")
	batch := make([]*headracev1.Message, messages)
	for i := range batch {
		batch[i] = &headracev1.Message{Data: fmt.Append(nil, i), OrderingKey: fmt.Sprint("key ", i%(messages/2))}
	}
	published := placesOf(first.Publish("orders", batch...).GetRuns())
	checkPlaces(t, partitions, published, batch)
	session := openSubscribe(t, first, openWide)
	receivePlaces(t, session, published, messages/2)
	session.send(ack(1, 1, messages/2))
	session.awaitConfirmed(1)
	session.finish()

	first.BeginDrain()
	if err := first.Wait(); err != nil {
		t.Fatal(err)
	}
	first.Store.Stop()
	second := servertest.Start(t, servertest.Options{Home: home})
	if got := subscriptionStats(t, second, "workers"); got.GetBacklog().GetMessages() != messages/2 || len(got.GetPartitions()) != partitions {
		t.Errorf("after the restart: %v", got)
	}
	session = openSubscribe(t, second, openWide)
	receivePlaces(t, session, published, messages/2)
	session.send(ack(1, 1, messages/2))
	session.awaitConfirmed(1)
	session.finish()
	if len(published) != 0 {
		t.Errorf("%d messages never came", len(published))
	}
}

// placesOf gives the index of the message at each place.
func placesOf(runs []*headracev1.PublishedRun) map[at]int {
	places := map[at]int{}
	for _, run := range runs {
		for i := range uint64(run.GetCount()) {
			places[at{run.GetPartition(), run.GetFirstOffset() + i}] = int(run.GetFirstSequence() + i - 1)
		}
	}
	return places
}

// checkPlaces expects every message to have one, in every partition, and those of a
// key to be in one partition in their order.
func checkPlaces(t *testing.T, partitions int, places map[at]int, batch []*headracev1.Message) {
	t.Helper()
	used, byKey := map[uint32]bool{}, map[string]map[int]at{}
	for place, i := range places {
		used[place.partition] = true
		key := batch[i].GetOrderingKey()
		for j, other := range byKey[key] {
			if other.partition != place.partition || (other.offset < place.offset) != (j < i) {
				t.Errorf("messages %d and %d of one key lie at %v and %v", j, i, other, place)
			}
		}
		if byKey[key] == nil {
			byKey[key] = map[int]at{}
		}
		byKey[key][i] = place
	}
	if len(places) != len(batch) || len(used) != partitions {
		t.Fatalf("%d of %d messages have a place, in %d of %d partitions", len(places), len(batch), len(used), partitions)
	}
}

// receivePlaces receives messages and takes them out of the places.
func receivePlaces(t *testing.T, session *subscribeStub, places map[at]int, messages int) {
	t.Helper()
	for received := 0; received < messages; {
		b := session.nextBatch()
		next := b.GetMessages()
		for _, run := range b.GetRuns() {
			for i := range uint64(run.GetCount()) {
				place := at{run.GetPartition(), run.GetFirstOffset() + i}
				want, known := places[place]
				if got := string(next[0].GetData()); !known || got != strconv.Itoa(want) {
					t.Fatalf("at %v came %q, want %d", place, got, want)
				}
				delete(places, place)
				next = next[1:]
				received++
			}
		}
	}
}

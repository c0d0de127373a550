package server_test

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage/storagetest"
)

// openProducer begins a publish stream of a producer.
func openProducer(t *testing.T, s *servertest.Server, id string) *publishStub {
	t.Helper()
	p := dialPublish(t, s)
	p.send(&headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_Open_{
		Open: &headracev1.PublishStreamRequest_Open{ProducerId: id},
	}})
	if p.opened = p.next().GetOpened(); p.opened.GetProducerEpoch() == 0 {
		t.Fatalf("opened = %v", p.opened)
	}
	return p
}

func lookUp(topic string, first uint64) *headracev1.PublishStreamRequest {
	return &headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_LookUp_{
		LookUp: &headracev1.PublishStreamRequest_LookUp{Topic: topic, FirstSequence: first},
	}}
}

// nextLookedUp skips to the next answer of a look-up.
func (p *publishStub) nextLookedUp() *headracev1.PublishStreamResponse_LookedUp {
	p.t.Helper()
	for {
		if l := p.next().GetLookedUp(); l != nil {
			return l
		}
	}
}

// wantFailure expects one failure for all of the next result.
func (p *publishStub) wantFailure(first uint64, count uint32, reason headracev1.ErrorReason) {
	p.t.Helper()
	r := p.nextResult()
	if f := r.GetFailures(); len(r.GetRuns()) > 0 || len(f) != 1 ||
		f[0].GetFirstSequence() != first || f[0].GetCount() != count || f[0].GetReason() != reason {
		p.t.Errorf("result = %v, want %d+%d failed with %v", r, first, count, reason)
	}
}

// mixedBatch is a batch with a message at fault in the middle.
func mixedBatch() *headracev1.PublishStreamRequest {
	return batch("orders", 1,
		&headracev1.Message{Data: []byte("a"), OrderingKey: "k1"}, &headracev1.Message{Data: []byte("b")},
		&headracev1.Message{OrderingKey: string(make([]byte, 2000))}, &headracev1.Message{Data: []byte("c"), OrderingKey: "k2"})
}

func TestABatchSentAgainHasItsFirstPositionsAndFailures(t *testing.T) {
	home := storagetest.MemoryHome()
	var want *headracev1.PublishStreamResponse_PublishResult
	t.Run("by the same server", func(t *testing.T) { want = sendAgain(t, servertest.Start(t, servertest.Options{Home: home})) })
	t.Run("after a restart", func(t *testing.T) { sendOnceMore(t, servertest.Start(t, servertest.Options{Home: home}), want) })
}

// sendAgain sends batches, sends them again on the same and on another stream, and
// gives the result of the first one.
func sendAgain(t *testing.T, s *servertest.Server) *headracev1.PublishStreamResponse_PublishResult {
	t.Helper()
	s.CreateTopicWith(&headracev1.Topic{Name: "orders", Partitions: 8})
	stub := openProducer(t, s, "loader")
	stub.send(mixedBatch())
	want := stub.nextResult()
	if len(want.GetRuns()) < 2 || len(want.GetFailures()) != 1 || want.GetThroughSequence() != 4 {
		t.Fatalf("result = %v", want)
	}
	stub.send(mixedBatch())
	checkProto(t, want, stub.nextResult())
	stub.send(batch("orders", 5, numberedMessages(5, 3)...))
	next := stub.nextResult()
	stub.finish()

	again := openProducer(t, s, "loader")
	again.send(mixedBatch())
	checkProto(t, want, again.nextResult())
	again.send(batch("orders", 5, numberedMessages(5, 3)...))
	checkProto(t, next, again.nextResult())
	again.finish()
	return want
}

func sendOnceMore(t *testing.T, s *servertest.Server, want *headracev1.PublishStreamResponse_PublishResult) {
	t.Helper()
	later := openProducer(t, s, "loader")
	if later.opened.GetProducerEpoch() != 3 {
		t.Errorf("epoch %d of the third stream", later.opened.GetProducerEpoch())
	}
	later.send(mixedBatch())
	checkProto(t, want, later.nextResult())
	later.send(batch("orders", 5, numberedMessages(6, 3)...))
	later.wantFailure(5, 3, headracev1.ErrorReason_ERROR_REASON_PUBLISH_BATCH_CHANGED)
	later.send(batch("orders", 8, numberedMessages(8, 1)...))
	if r := later.nextResult(); len(r.GetRuns()) != 1 {
		t.Errorf("result = %v", r)
	}
	later.finish()
	if n := topicStats(t, s, "orders").GetRetained().GetMessages(); n != 7 {
		t.Errorf("%d messages are stored", n)
	}
}

func TestANewerStreamOfAProducerFencesTheOlder(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	older, other := openProducer(t, s, "loader"), openProducer(t, s, "another")
	older.send(batch("orders", 1, numberedMessages(1, 1)...))
	older.await(1)
	newer := openProducer(t, s, "loader")
	checkStatus(t, older.end(), codes.FailedPrecondition, "STALE_PRODUCER", "")
	newer.send(batch("orders", 2, numberedMessages(2, 1)...))
	newer.await(2)
	newer.finish()
	other.finish()
}

func TestWhatFollowsAFailedBatchFailsUntilTheClientBeginsAgain(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	stub := openProducer(t, s, "loader")
	stub.send(batch("orders", 1, numberedMessages(1, 2)...))
	stub.wantFailure(1, 2, headracev1.ErrorReason_ERROR_REASON_TOPIC_NOT_FOUND)
	s.CreateTopic("orders")
	stub.send(batch("orders", 3, numberedMessages(3, 2)...))
	stub.wantFailure(3, 2, headracev1.ErrorReason_ERROR_REASON_TOPIC_NOT_FOUND)
	stub.send(batch("orders", 1, numberedMessages(1, 2)...))
	stub.send(batch("orders", 3, numberedMessages(3, 2)...))
	stub.await(4)
	stub.finish()

	stub = openProducer(t, s, "stranger")
	stub.send(batch("orders", 7, numberedMessages(7, 1)...))
	stub.wantFailure(7, 1, headracev1.ErrorReason_ERROR_REASON_OUTCOME_FORGOTTEN)
	stub.send(batch("orders", 8, numberedMessages(8, 1)...))
	stub.wantFailure(8, 1, headracev1.ErrorReason_ERROR_REASON_OUTCOME_FORGOTTEN)
	stub.send(batch("orders", 1, numberedMessages(1, 1)...))
	stub.await(1)
	stub.send(batch("orders", 10, numberedMessages(10, 1)...))
	checkStatus(t, stub.end(), codes.InvalidArgument, "PUBLISH_SEQUENCE_GAP", "first_sequence")
}

func TestAClientThatComesBackLooksUpWhatIsStored(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	first := openProducer(t, s, "loader")
	first.send(mixedBatch())
	want := first.nextResult()
	first.send(batch("orders", 5, numberedMessages(5, 2)...))
	first.await(6)
	first.finish()

	stub := openProducer(t, s, "loader")
	stub.send(lookUp("orders", 3))
	got := stub.nextResult()
	if got.GetThroughSequence() != 6 {
		t.Errorf("results through %d", got.GetThroughSequence())
	}
	checkProto(t, &headracev1.PublishStreamResponse_PublishResult{Failures: want.GetFailures()},
		&headracev1.PublishStreamResponse_PublishResult{Failures: got.GetFailures()})
	if n := stub.nextLookedUp().GetNextSequence(); n != 7 {
		t.Errorf("next is %d", n)
	}
	stub.send(lookUp("orders", 0))
	if l := stub.next().GetLookedUp(); l.GetNextSequence() != 7 {
		t.Errorf("looked up %v", l)
	}
	stub.send(lookUp("nowhere", 3))
	if l := stub.next().GetLookedUp(); l.GetNextSequence() != 1 || l.GetTopic() != "nowhere" {
		t.Errorf("looked up %v", l)
	}
	stub.finish()
}

func TestUnkeyedMessagesOfAProducerGoToOnePartition(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopicWith(&headracev1.Topic{Name: "orders", Partitions: 16})
	partitions := map[uint32]bool{}
	for i := range 8 {
		stub := openProducer(t, s, "loader")
		stub.send(batch("orders", uint64(1+i), numberedMessages(1+i, 1)...))
		partitions[stub.nextResult().GetRuns()[0].GetPartition()] = true
		stub.finish()
	}
	if len(partitions) != 1 {
		t.Errorf("%d partitions", len(partitions))
	}
}

func TestADedupeIDCountsOnce(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopicWith(&headracev1.Topic{Name: "orders", Partitions: 4})
	message := func(id, data string) *headracev1.Message {
		return &headracev1.Message{Data: []byte(data), DedupeId: id}
	}
	stub := openPublish(t, s)
	stub.send(batch("orders", 1, message("1", "a"), message("2", "b"), &headracev1.Message{Data: []byte("c")}, message("1", "a")))
	first := stub.nextResult()
	runs := map[uint64]*headracev1.PublishedRun{}
	for _, run := range first.GetRuns() {
		for i := range run.GetCount() {
			runs[run.GetFirstSequence()+uint64(i)] = &headracev1.PublishedRun{
				Partition: run.GetPartition(), FirstOffset: run.GetFirstOffset() + uint64(i), Duplicate: run.GetDuplicate(),
			}
		}
	}
	if runs[1].GetDuplicate() || !runs[4].GetDuplicate() || runs[1].GetPartition() != runs[4].GetPartition() || runs[1].GetFirstOffset() != runs[4].GetFirstOffset() {
		t.Errorf("result = %v", first)
	}
	stub.finish()
	r := s.Publish("orders", message("2", "b"))
	if got := r.GetRuns()[0]; !got.GetDuplicate() || got.GetPartition() != runs[2].GetPartition() || got.GetFirstOffset() != runs[2].GetFirstOffset() {
		t.Errorf("published again: %v, first: %v", got, runs[2])
	}
	r, err := s.Publisher.Publish(t.Context(), &headracev1.PublishRequest{Topic: "orders", Messages: []*headracev1.Message{message("2", "other")}})
	if err != nil {
		t.Fatal(err)
	}
	checkProto(t, &headracev1.PublishResponse{Failures: []*headracev1.PublishFailure{{
		FirstSequence: 1, Count: 1, Reason: headracev1.ErrorReason_ERROR_REASON_DEDUPE_CONFLICT, Field: "dedupe_id",
	}}}, r)
	if n := topicStats(t, s, "orders").GetRetained().GetMessages(); n != 3 {
		t.Errorf("%d messages are stored", n)
	}
}

// A batch of a producer's that holds duplicates is answered again as it was at first,
// also when the ids are long forgotten.
func TestABatchWithDuplicatesSentAgainHasItsFirstResult(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopicWith(&headracev1.Topic{Name: "orders", Partitions: 1})
	stub := openProducer(t, s, "loader")
	messages := []*headracev1.Message{{DedupeId: "1"}, {DedupeId: "2"}, {DedupeId: "1"}, {DedupeId: "1", Data: []byte("x")}, {}}
	stub.send(batch("orders", 1, messages...))
	want := stub.nextResult()
	if len(want.GetRuns()) != 3 || len(want.GetFailures()) != 1 {
		t.Fatalf("result = %v", want)
	}
	noWindow := &headracev1.UpdateTopicRequest{
		Topic:      &headracev1.Topic{Name: "orders", DedupeWindow: durationpb.New(0)},
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"dedupe_window"}},
	}
	if _, err := s.Topics.UpdateTopic(t.Context(), noWindow); err != nil {
		t.Fatal(err)
	}
	stub.send(batch("orders", 1, messages...))
	checkProto(t, want, stub.nextResult())
	stub.finish()
	if r := s.Publish("orders", messages[0]); r.GetRuns()[0].GetDuplicate() {
		t.Errorf("without a window: %v", r)
	}
}

package server_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage/storagetest"
)

func TestAClientWithNothingButTheStubsPublishesAndAcks1000Messages(t *testing.T) {
	for engine, home := range map[string]storagetest.StoreHome{
		"in memory": storagetest.MemoryHome(),
		"Badger":    servertest.BadgerHome(t),
	} {
		t.Run(engine, func(t *testing.T) { publishAndAck1000(t, servertest.Start(t, servertest.Options{Home: home})) })
	}
}

func publishAndAck1000(t *testing.T, s *servertest.Server) {
	t.Helper()
	const messages, perBatch = 1000, 50
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")

	stub := openPublish(t, s)
	for first := 1; first <= messages; first += perBatch {
		stub.send(batch("orders", uint64(first), numberedMessages(first, perBatch)...))
	}
	stub.await(messages)
	stub.finish()

	session := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
	charged, number := uint64(0), uint64(0)
	for next := uint64(1); next <= messages; {
		b := session.nextBatch()
		if b.GetFirstSequence() != next {
			t.Fatalf("batch begins at %d, want %d", b.GetFirstSequence(), next)
		}
		for i, m := range b.GetMessages() {
			if want := fmt.Sprintf("message %d", next+uint64(i)); string(m.GetData()) != want {
				t.Fatalf("sequence %d is %q, want %q", next+uint64(i), m.GetData(), want)
			}
			if m.GetPublishTime() == nil {
				t.Fatalf("sequence %d has no publish time", next)
			}
			charged += uint64(1 + protowire.SizeBytes(proto.Size(m)))
		}
		next += uint64(len(b.GetMessages()))
		number++
		session.send(ack(number, b.GetFirstSequence(), next-1))
	}
	session.awaitConfirmed(number)
	if got := session.charged; got != charged {
		t.Errorf("charged %d bytes for messages of %d bytes", got, charged)
	}
	session.finish()

	stats := subscriptionStats(t, s, "workers")
	if stats.GetAcked() != messages || stats.GetBacklog().GetMessages() != 0 || stats.GetRedelivered() != 0 {
		t.Errorf("stats = %v", stats)
	}
}

func TestThePublishWindowRisesWithTheResultsThatWereWritten(t *testing.T) {
	const rounds, perRound = 5, 800
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	stub := openPublish(t, s)
	for round := range rounds {
		through := uint64((round + 1) * perRound)
		for through > 1000 && stub.window.GetThroughMessages() < through {
			stub.next()
		}
		stub.send(batch("orders", uint64(round*perRound+1), numberedMessages(round*perRound+1, perRound)...))
	}
	for stub.window.GetThroughMessages() < rounds*perRound+1000 {
		stub.next()
	}
	stub.finish()
}

func TestAUnaryPublishSaysWhereMessagesStand(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.Publish("orders", numberedMessages(1, 3)...)
	r := s.Publish("default/orders", numberedMessages(4, 2)...)
	want := &headracev1.PublishResponse{
		Runs:       []*headracev1.PublishedRun{{FirstSequence: 1, FirstOffset: 3, Count: 2}},
		Durability: headracev1.Durability_DURABILITY_SYNCED,
	}
	checkProto(t, want, r)
}

func TestOneBadMessageFailsAlone(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	good := numberedMessages(1, 3)
	messages := []*headracev1.Message{good[0], {Ttl: durationpb.New(1)}, good[1], {OrderingKey: "k", Ttl: durationpb.New(1)}, {Ttl: durationpb.New(1)}, good[2]}
	wantRuns := []*headracev1.PublishedRun{
		{FirstSequence: 1, FirstOffset: 0, Count: 1},
		{FirstSequence: 3, FirstOffset: 1, Count: 1},
		{FirstSequence: 6, FirstOffset: 2, Count: 1},
	}
	wantFailures := []*headracev1.PublishFailure{
		{FirstSequence: 2, Count: 1, Reason: headracev1.ErrorReason_ERROR_REASON_NOT_SERVED, Field: "ttl"},
		{FirstSequence: 4, Count: 2, Reason: headracev1.ErrorReason_ERROR_REASON_NOT_SERVED, Field: "ttl"},
	}
	r, err := s.Publisher.Publish(t.Context(), &headracev1.PublishRequest{Topic: "orders", Messages: messages})
	if err != nil {
		t.Fatal(err)
	}
	checkProto(t, &headracev1.PublishResponse{
		Runs: wantRuns, Failures: wantFailures, Durability: headracev1.Durability_DURABILITY_SYNCED,
	}, r)

	stub := openPublish(t, s)
	stub.send(batch("orders", 1, messages...))
	for _, run := range wantRuns {
		run.FirstOffset += 3
	}
	checkProto(t, &headracev1.PublishStreamResponse_PublishResult{
		Topic: "orders", ThroughSequence: 6, Runs: wantRuns, Failures: wantFailures,
		Durability: headracev1.Durability_DURABILITY_SYNCED,
	}, stub.nextResult())
	stub.finish()
}

func TestABatchOfBadMessagesStoresNothing(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	want := []*headracev1.PublishFailure{
		{FirstSequence: 1, Count: 2, Reason: headracev1.ErrorReason_ERROR_REASON_NOT_SERVED, Field: "ttl"},
	}
	stub := openPublish(t, s)
	stub.send(batch("orders", 1, &headracev1.Message{Ttl: durationpb.New(1)}, &headracev1.Message{Ttl: durationpb.New(1)}))
	checkProto(t, &headracev1.PublishStreamResponse_PublishResult{
		Topic: "orders", ThroughSequence: 2, Failures: want,
	}, stub.nextResult())
	stub.finish()
	r, err := s.Publisher.Publish(t.Context(), &headracev1.PublishRequest{
		Topic: "orders", Messages: []*headracev1.Message{{Ttl: durationpb.New(1)}, {Ttl: durationpb.New(1)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	checkProto(t, &headracev1.PublishResponse{Failures: want}, r)
}

func TestOneWayBatchesGetNoResult(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	stub := openPublish(t, s)
	oneWay := batch("orders", 1, numberedMessages(1, 3)...)
	oneWay.GetPublishBatch().OneWay = true
	stub.send(oneWay)
	stub.send(batch("orders", 4, numberedMessages(4, 1)...))
	checkProto(t, &headracev1.PublishStreamResponse_PublishResult{
		Topic: "orders", ThroughSequence: 4,
		Runs:       []*headracev1.PublishedRun{{FirstSequence: 4, FirstOffset: 3, Count: 1}},
		Durability: headracev1.Durability_DURABILITY_SYNCED,
	}, stub.nextResult())
	stub.finish()
}

func TestUnknownFieldsSurviveTheWholeWay(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	m := &headracev1.Message{Data: []byte("known")}
	unknown := []byte{0xc2, 0x3e, 0x02, 'h', 'i'} // field 1000, bytes
	m.ProtoReflect().SetUnknown(unknown)
	s.Publish("orders", m)
	session := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
	got := session.nextBatch().GetMessages()[0]
	if string(got.ProtoReflect().GetUnknown()) != string(unknown) {
		t.Fatalf("unknown fields = %x, want %x", got.ProtoReflect().GetUnknown(), unknown)
	}
	session.finish()
}

func TestARetriedMessageComesAgainWithItsAttempt(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	s.Publish("orders", numberedMessages(1, 1)...)
	session := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
	session.nextBatch()
	session.send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Settle_{
		Settle: &headracev1.SubscribeRequest_Settle{
			Number: 1, Ranges: sequences(1, 1), Verdict: headracev1.Verdict_VERDICT_RETRY, Delay: durationOf(0),
		},
	}})
	again := session.nextBatch()
	checkProto(t, &headracev1.SubscribeResponse_AttemptRun{FirstSequence: 2, Count: 1, Attempt: 2}, again.GetAttempts()[0])
	session.send(ack(2, 2, 2))
	session.awaitConfirmed(2)
	session.finish()
}

func TestAnUnknownSequenceFailsByItself(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	s.Publish("orders", numberedMessages(1, 1)...)
	session := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
	session.nextBatch()
	session.send(ack(1, 7, 9))
	session.send(ack(2, 1, 1))
	session.send(ack(3, 1, 1))
	session.awaitConfirmed(3)
	want := []*headracev1.SubscribeResponse_SettleFailure{
		{Number: 1, Ranges: sequences(7, 9), Reason: headracev1.ErrorReason_ERROR_REASON_UNKNOWN_SEQUENCE},
		{Number: 3, Ranges: sequences(1, 1), Reason: headracev1.ErrorReason_ERROR_REASON_STALE_DELIVERY},
	}
	if len(session.failures) != len(want) {
		t.Fatalf("failures = %v", session.failures)
	}
	for i := range want {
		checkProto(t, want[i], session.failures[i])
	}
	session.finish()
}

func TestDrainIsAnsweredOnceNothingIsHeld(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	s.Publish("orders", numberedMessages(1, 2)...)
	session := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
	session.nextBatch()
	session.send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Drain_{
		Drain: &headracev1.SubscribeRequest_Drain{},
	}})
	session.send(ack(1, 1, 2))
	session.await(func(r *headracev1.SubscribeResponse) bool { return r.GetDrained() != nil })
	session.finish()
	if _, err := session.stream.Recv(); !errors.Is(err, io.EOF) {
		t.Fatalf("after the end: %v", err)
	}
}

package server_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/storagetest"
)

func TestPublishingToWhatIsNotThere(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	for topic, want := range map[string]struct {
		code   codes.Code
		reason string
		field  string
	}{
		"missing":        {codes.NotFound, "TOPIC_NOT_FOUND", ""},
		"other/orders":   {codes.NotFound, "TOPIC_NOT_FOUND", ""},
		"":               {codes.InvalidArgument, "INVALID_NAME", "topic"},
		"no":             {codes.InvalidArgument, "INVALID_NAME", "topic"},
		"a/b/c":          {codes.InvalidArgument, "INVALID_NAME", "topic"},
		"orders\x00":     {codes.InvalidArgument, "INVALID_NAME", "topic"},
		"headrace.inner": {codes.InvalidArgument, "INVALID_NAME", "topic"},
	} {
		_, err := s.Publisher.Publish(bounded(t), &headracev1.PublishRequest{
			Topic: topic, Messages: numberedMessages(1, 1),
		})
		checkStatus(t, err, want.code, want.reason, want.field)
	}
	stub := openPublish(t, s)
	stub.send(batch("missing", 1, numberedMessages(1, 2)...))
	stub.send(batch("no", 1, numberedMessages(1, 1)...))
	stub.send(batch("orders", 1, numberedMessages(1, 1)...))
	got := map[string]*headracev1.PublishStreamResponse_PublishResult{}
	for len(got) < 3 {
		r := stub.nextResult()
		got[r.GetTopic()] = r
	}
	checkProto(t, &headracev1.PublishStreamResponse_PublishResult{
		Topic: "missing", ThroughSequence: 2, Failures: []*headracev1.PublishFailure{
			{FirstSequence: 1, Count: 2, Reason: headracev1.ErrorReason_ERROR_REASON_TOPIC_NOT_FOUND},
		},
	}, got["missing"])
	checkProto(t, &headracev1.PublishStreamResponse_PublishResult{
		Topic: "no", ThroughSequence: 1, Failures: []*headracev1.PublishFailure{
			{FirstSequence: 1, Count: 1, Reason: headracev1.ErrorReason_ERROR_REASON_INVALID_NAME},
		},
	}, got["no"])
	if len(got["orders"].GetRuns()) != 1 {
		t.Errorf("the good batch: %v", got["orders"])
	}
	stub.finish()
}

func TestATopicThatGoesAwayUnderAStreamFailsItsBatches(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	stub := openPublish(t, s)
	stub.send(batch("orders", 1, numberedMessages(1, 1)...))
	stub.await(1)
	if _, err := s.Topics.DeleteTopic(bounded(t), &headracev1.DeleteTopicRequest{Topic: "orders"}); err != nil {
		t.Fatal(err)
	}
	stub.send(batch("orders", 2, numberedMessages(2, 1)...))
	failures := stub.nextResult().GetFailures()
	if len(failures) != 1 || failures[0].GetReason() != headracev1.ErrorReason_ERROR_REASON_TOPIC_DELETED {
		t.Fatalf("failures = %v", failures)
	}
	stub.finish()
}

func TestAMessageAtTheTopicsLimitAndOneByteOver(t *testing.T) {
	const limit, overhead = 2000, 3
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopicWith(&headracev1.Topic{Name: "orders", MaxMessageBytes: limit})
	s.Publish("orders", &headracev1.Message{Data: make([]byte, limit-overhead)})
	r, err := s.Publisher.Publish(bounded(t), &headracev1.PublishRequest{
		Topic: "orders", Messages: []*headracev1.Message{{Data: make([]byte, limit-overhead+1)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	checkProto(t, &headracev1.PublishResponse{Failures: []*headracev1.PublishFailure{{
		FirstSequence: 1, Count: 1, Reason: headracev1.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE, Limit: limit,
	}}}, r)
}

func TestTheLargestMessageGoesTheWholeWay(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	const overhead = 4
	data := strings.Repeat("x", 1<<20-overhead)
	s.Publish("orders", &headracev1.Message{Data: []byte(data)})
	session := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "workers"})
	if got := session.nextBatch().GetMessages()[0].GetData(); string(got) != data {
		t.Fatalf("%d bytes came", len(got))
	}
	session.finish()
}

func TestASecondExclusiveSessionIsRefused(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscriptionWith(&headracev1.Subscription{
		Name: "archive", Topic: "orders", Mode: headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE,
	})
	first := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "archive", ClientId: "one"})
	refused := dialSubscribe(t, s)
	refused.send(subscribeOpen(&headracev1.SubscribeRequest_Open{Subscription: "archive", ClientId: "two"}))
	checkStatus(t, refused.end(), codes.FailedPrecondition, "EXCLUSIVE_SESSION_EXISTS", "")

	s.Publish("orders", numberedMessages(1, 1)...)
	first.nextBatch()
	second := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: "archive", ClientId: "two", Takeover: true})
	revoked := first.await(func(r *headracev1.SubscribeResponse) bool { return r.GetRevoked() != nil }).GetRevoked()
	checkProto(t, &headracev1.SubscribeResponse_Revoked{
		Ranges: sequences(1, 1), Reason: headracev1.RevokeReason_REVOKE_REASON_TAKEOVER,
	}, revoked)
	checkStatus(t, first.end(), codes.FailedPrecondition, "TAKEN_OVER", "")
	if b := second.nextBatch(); len(b.GetAttempts()) > 0 {
		t.Errorf("the takeover charged an attempt: %v", b.GetAttempts())
	}
	second.finish()
}

func TestSubscribingToWhatIsNotThere(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	stub := dialSubscribe(t, s)
	stub.send(open)
	checkStatus(t, stub.end(), codes.NotFound, "SUBSCRIPTION_NOT_FOUND", "")
}

func TestASubscriptionDeletedUnderItsSession(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	session := openSubscribe(t, s, open.GetOpen())
	_, err := s.Subscriptions.DeleteSubscription(bounded(t), &headracev1.DeleteSubscriptionRequest{Subscription: "workers"})
	if err != nil {
		t.Fatal(err)
	}
	checkStatus(t, session.end(), codes.FailedPrecondition, "SUBSCRIPTION_DELETED", "")
}

func TestAFullDiskRefusesMessagesAndTakesSettles(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	s.Publish("orders", numberedMessages(1, 2)...)
	session := openSubscribe(t, s, open.GetOpen())
	session.nextBatch()
	stub := openPublish(t, s)

	disk := s.Store.Engine.(*storagetest.Memory)
	disk.SetSpace(storage.Space{FreeBytes: 1, HighMarkBytes: 2})
	_, err := s.Publisher.Publish(bounded(t), &headracev1.PublishRequest{Topic: "orders", Messages: numberedMessages(3, 1)})
	checkStatus(t, err, codes.ResourceExhausted, "DISK_FULL", "")
	if !carriesRetryInfo(err) {
		t.Error("DISK_FULL does not say when to try again")
	}
	stub.send(batch("orders", 1, numberedMessages(3, 1)...))
	failures := stub.nextResult().GetFailures()
	if len(failures) != 1 || failures[0].GetReason() != headracev1.ErrorReason_ERROR_REASON_DISK_FULL {
		t.Fatalf("failures = %v", failures)
	}
	session.send(ack(1, 1, 2))
	session.awaitConfirmed(1)

	disk.SetSpace(storage.Space{FreeBytes: 2, HighMarkBytes: 2})
	stub.send(batch("orders", 2, numberedMessages(3, 1)...))
	stub.await(2)
	if got := session.nextBatch().GetMessages()[0].GetData(); string(got) != "message 3" {
		t.Fatalf("after the disk had room again: %q", got)
	}
	stub.finish()
	session.finish()
}

func TestASecondTopicOfOneName(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	_, err := s.Topics.CreateTopic(bounded(t), &headracev1.CreateTopicRequest{Topic: &headracev1.Topic{Name: "default/orders"}})
	checkStatus(t, err, codes.AlreadyExists, "TOPIC_EXISTS", "")
}

func TestNamesAndTextsMayHaveEveryLegalCharacter(t *testing.T) {
	const topic, subscription = "Space-9/Az0._~%+-", "Ns.~/w%%%"
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic(topic)
	s.CreateSubscription(subscription, topic)
	sent := &headracev1.Message{
		Attributes:  map[string]string{"\x00": "\x00", "ключ": "значение", "a b\n": "", "🗝": "🌊"},
		OrderingKey: "\x00 k/ü🌊",
	}
	s.Publish(topic, sent)
	session := openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: subscription})
	got := session.nextBatch().GetMessages()[0]
	if age := time.Since(got.GetPublishTime().AsTime()); age < 0 || age > time.Hour {
		t.Errorf("published %v ago", age)
	}
	got.PublishTime = nil
	checkProto(t, sent, got)
	session.finish()
}

func TestAMalformedUnaryRequestIsInvalid(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	for _, method := range []string{
		headracev1.TopicService_CreateTopic_FullMethodName,
		headracev1.SubscriptionService_GetSubscription_FullMethodName,
		headracev1.PublisherService_Publish_FullMethodName,
	} {
		err := s.Conn.Invoke(bounded(t), method, rawFrame{0x0a, 0x05, 'x'}, new(rawFrame), rawCodec())
		checkStatus(t, err, codes.InvalidArgument, "MALFORMED_FRAME", "")
	}
}

func carriesRetryInfo(err error) bool {
	for _, d := range status.Convert(err).Details() {
		if r, ok := d.(*errdetails.RetryInfo); ok && r.GetRetryDelay().AsDuration() > 0 {
			return true
		}
	}
	return false
}

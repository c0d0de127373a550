package server_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/storagetest"
)

const fromPrefix = "headrace.dead_letter."

// forwarding makes a server with the topic orders, whose subscription workers forwards
// what it gives up to the topic failed, and that one's subscription menders.
func forwarding(t *testing.T, home storagetest.StoreHome, failed *headracev1.Topic) *servertest.Server {
	t.Helper()
	s := servertest.Start(t, servertest.Options{Home: home})
	s.CreateTopic("orders")
	failed.Name = "failed"
	s.CreateTopicWith(failed)
	s.CreateSubscription("menders", "failed")
	created := s.CreateSubscriptionWith(&headracev1.Subscription{Name: "workers", Topic: "orders", DeadLetterTopic: "failed"})
	if created.GetDeadLetterTopic() != "default/failed" {
		t.Fatalf("created with %q", created.GetDeadLetterTopic())
	}
	return s
}

func openOn(t *testing.T, s *servertest.Server, subscription string) *subscribeStub {
	t.Helper()
	return openSubscribe(t, s, &headracev1.SubscribeRequest_Open{Subscription: subscription, ClientId: "worker-1"})
}

// rejectAll gives up what comes to workers, so many messages, each by a settle.
func rejectAll(t *testing.T, s *servertest.Server, messages uint64) {
	t.Helper()
	c := openOn(t, s, "workers")
	for c.received < messages {
		c.nextBatch()
	}
	for n := range messages {
		c.send(settling(n+1, n+1, headracev1.Verdict_VERDICT_REJECT, "BAD", "cannot be read"))
	}
	c.awaitConfirmed(messages)
	c.finish()
}

// from gives the attributes of a message that say where it came from, without the time.
func from(m *headracev1.Message) map[string]string {
	all := map[string]string{}
	for key, value := range m.GetAttributes() {
		if name, ok := strings.CutPrefix(key, fromPrefix); ok && name != "time" {
			all[name] = value
		}
	}
	return all
}

// TestADeadLetterComesToTheTopicThatItIsForwardedTo: to a session that waits there, as it
// was published, with where it came from and why; both are there after a restart.
func TestADeadLetterComesToTheTopicThatItIsForwardedTo(t *testing.T) {
	home := servertest.BadgerHome(t)
	message := &headracev1.Message{
		Data: []byte("order 1"), OrderingKey: "k", ContentType: "text/plain", DedupeId: "d", Attributes: map[string]string{"a": "b"},
	}
	want := map[string]string{
		"subscription": "default/workers", "topic": "default/orders", "message_id": "0-1", "sequence": "1", "reason": "REJECTED",
		"attempts": "1", "failure_code": "BAD", "failure_reason": "cannot be read",
	}
	check := func(t *testing.T, s *servertest.Server, got *headracev1.Message) {
		t.Helper()
		if diff := cmp.Diff(want, from(got)); diff != "" {
			t.Error(diff)
		}
		if got.GetMessageId() != "" || got.GetAttributes()["a"] != "b" || got.GetPublishTime() == nil || got.GetAttributes()[fromPrefix+"time"] == "" {
			t.Errorf("forwarded: %v", got)
		}
		plain := proto.Clone(got).(*headracev1.Message)
		plain.PublishTime, plain.Attributes = nil, message.GetAttributes()
		checkProto(t, message, plain)
		letters := listDeadLetters(t, s, &headracev1.ListDeadLettersRequest{})
		forward := &headracev1.DeadLetterForward{Topic: "default/failed", Position: &headracev1.Position{Offset: 1}}
		if len(letters) != 1 {
			t.Fatalf("%d dead letters", len(letters))
		}
		checkProto(t, forward, letters[0].GetForward())
		checkProto(t, forward, explainAt(t, s, 1).GetForward())
	}
	t.Run("before the restart", func(t *testing.T) {
		s := forwarding(t, home, &headracev1.Topic{})
		s.Publish("failed", numberedMessages(0, 1)...)
		mender := openOn(t, s, "menders")
		mender.nextBatch()
		s.Publish("orders", numberedMessages(0, 1)...)
		s.Publish("orders", message)
		c := openOn(t, s, "workers")
		for c.received < 2 {
			c.nextBatch()
		}
		c.send(ack(1, 1, 1))
		c.send(settling(2, 2, headracev1.Verdict_VERDICT_REJECT, "BAD", "cannot be read"))
		check(t, s, mender.nextBatch().GetMessages()[0])
		c.awaitConfirmed(2)
		c.finish()
		mender.finish()
		stats := subscriptionStats(t, s, "workers")
		if stats.GetForwarded() != 1 || stats.GetNotForwarded() != 0 || stats.GetDeadLetters() != 1 {
			t.Errorf("stats: %v", stats)
		}
		if n := metricOf(t, s, "headrace_forwarded_dead_letters_total", "subscription", "default/workers"); n != 1 {
			t.Errorf("%v are counted", n)
		}
	})
	s := servertest.Start(t, servertest.Options{Home: home})
	mender := openOn(t, s, "menders")
	check(t, s, mender.nextBatch().GetMessages()[1])
	mender.finish()
}

// TestKeysGoToTheirPartitionsWhenTheyAreForwarded: like what is published with them.
func TestKeysGoToTheirPartitionsWhenTheyAreForwarded(t *testing.T) {
	s := forwarding(t, nil, &headracev1.Topic{Partitions: 16})
	keys := []string{"a", "b", "c", "d", "e", "f"}
	published := s.Publish("failed", keyedMessages(keys...)...)
	s.Publish("orders", keyedMessages(keys...)...)
	rejectAll(t, s, uint64(len(keys)))
	for i, d := range listDeadLetters(t, s, &headracev1.ListDeadLettersRequest{}) {
		for _, run := range published.GetRuns() {
			if first := run.GetFirstSequence() - 1; uint64(i) >= first && uint64(i) < first+uint64(run.GetCount()) {
				if got := d.GetForward().GetPosition().GetPartition(); got != run.GetPartition() {
					t.Errorf("key %s is forwarded to partition %d, published to %d", keys[i], got, run.GetPartition())
				}
			}
		}
	}
}

// TestWhatCannotBeForwardedIsADeadLetterAllTheSame: it says why, it can be asked for, and
// it is counted.
func TestWhatCannotBeForwardedIsADeadLetterAllTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		failed  *headracev1.Topic
		prepare func(*servertest.Server)
		want    headracev1.DeadLetterForwardFailure
	}{
		"a full backlog": {
			failed: &headracev1.Topic{},
			prepare: func(s *servertest.Server) {
				s.CreateSubscriptionWith(&headracev1.Subscription{
					Name: "slow", Topic: "failed", BacklogCap: &headracev1.BacklogCap{Max: &headracev1.Amount{Messages: 1}},
				})
				s.Publish("failed", numberedMessages(0, 1)...)
			},
			want: headracev1.DeadLetterForwardFailure_DEAD_LETTER_FORWARD_FAILURE_BACKLOG_FULL,
		},
		"a topic for smaller messages": {
			failed: &headracev1.Topic{MaxMessageBytes: 8},
			want:   headracev1.DeadLetterForwardFailure_DEAD_LETTER_FORWARD_FAILURE_TOO_LARGE,
		},
		"a full disk": {
			failed: &headracev1.Topic{},
			prepare: func(s *servertest.Server) {
				s.Store.Engine.(*storagetest.Memory).SetSpace(storage.Space{FreeBytes: 2, HighMarkBytes: 3, LowMarkBytes: 1})
			},
			want: headracev1.DeadLetterForwardFailure_DEAD_LETTER_FORWARD_FAILURE_DISK_FULL,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := forwarding(t, nil, c.failed)
			s.Publish("orders", numberedMessages(1, 1)...)
			if c.prepare != nil {
				c.prepare(s)
			}
			rejectAll(t, s, 1)
			letters := listDeadLetters(t, s, &headracev1.ListDeadLettersRequest{Filter: &headracev1.DeadLetterFilter{NotForwarded: true}})
			if len(letters) != 1 {
				t.Fatalf("%d dead letters", len(letters))
			}
			checkProto(t, &headracev1.DeadLetterForward{Topic: "default/failed", Failure: c.want}, letters[0].GetForward())
			if stats := subscriptionStats(t, s, "workers"); stats.GetForwarded() != 0 || stats.GetNotForwarded() != 1 || stats.GetDeadLetters() != 1 {
				t.Errorf("stats: %v", stats)
			}
			if n := metricOf(t, s, "headrace_not_forwarded_dead_letters_total", "subscription", "default/workers"); n != 1 {
				t.Errorf("%v are counted", n)
			}
		})
	}
}

// TestAForwardedMessageThatIsGivenUpAgainGoesOn: with the origin of its last way, and with
// the id that it had there.
func TestAForwardedMessageThatIsGivenUpAgainGoesOn(t *testing.T) {
	s := forwarding(t, nil, &headracev1.Topic{})
	s.CreateTopic("hopeless")
	s.CreateSubscription("last", "hopeless")
	updateTo(t, s, "menders", "hopeless")
	s.Publish("orders", numberedMessages(0, 1)...)
	rejectAll(t, s, 1)
	mender := openOn(t, s, "menders")
	mender.nextBatch()
	mender.send(settling(1, 1, headracev1.Verdict_VERDICT_REJECT, "", ""))
	mender.awaitConfirmed(1)
	mender.finish()
	last := openOn(t, s, "last")
	got := last.nextBatch().GetMessages()[0]
	last.finish()
	want := map[string]string{
		"subscription": "default/menders", "topic": "default/failed", "message_id": "0-0", "sequence": "1", "reason": "REJECTED",
		"attempts": "1", "failure_code": "", "failure_reason": "",
	}
	if diff := cmp.Diff(want, from(got)); diff != "" {
		t.Error(diff)
	}
}

// TestARedrivenMessageThatIsGivenUpAgainIsForwardedAgain: under its first id.
func TestARedrivenMessageThatIsGivenUpAgainIsForwardedAgain(t *testing.T) {
	s := forwarding(t, nil, &headracev1.Topic{})
	s.Publish("orders", numberedMessages(0, 1)...)
	rejectAll(t, s, 1)
	redriveAll(t, s)
	rejectAll(t, s, 1)
	mender := openOn(t, s, "menders")
	for n := uint64(0); n < 2; {
		for _, m := range mender.nextBatch().GetMessages() {
			n++
			if got := from(m); got["message_id"] != "0-0" || got["sequence"] != []string{"1", "2"}[n-1] || m.GetMessageId() != "" {
				t.Errorf("forwarded: %v", m)
			}
		}
	}
	mender.finish()
}

func updateTo(t *testing.T, s *servertest.Server, subscription, topic string) {
	t.Helper()
	if _, err := tryUpdateTo(t, s, subscription, topic); err != nil {
		t.Fatal(err)
	}
}

func tryUpdateTo(t *testing.T, s *servertest.Server, subscription, topic string) (*headracev1.Subscription, error) {
	t.Helper()
	r, err := s.Subscriptions.UpdateSubscription(bounded(t), &headracev1.UpdateSubscriptionRequest{
		Subscription: &headracev1.Subscription{Name: subscription, DeadLetterTopic: topic},
		UpdateMask:   &fieldmaskpb.FieldMask{Paths: []string{"dead_letter_topic"}},
	})
	return r.GetSubscription(), err
}

// TestADeadLetterTopicIsThereAndLeadsNowhereBack: at creation and in an update alike.
func TestADeadLetterTopicIsThereAndLeadsNowhereBack(t *testing.T) {
	s := forwarding(t, nil, &headracev1.Topic{})
	s.CreateTopic("hopeless")
	s.CreateSubscription("last", "hopeless")
	updateTo(t, s, "menders", "hopeless")
	for topic, want := range map[string]struct {
		code   codes.Code
		reason string
	}{
		"nowhere": {codes.NotFound, "TOPIC_NOT_FOUND"}, "no name!": {codes.InvalidArgument, "INVALID_NAME"},
		"hopeless": {codes.InvalidArgument, "INVALID_FIELD"}, "failed": {codes.InvalidArgument, "INVALID_FIELD"},
		"orders": {codes.InvalidArgument, "INVALID_FIELD"},
	} {
		_, err := tryUpdateTo(t, s, "last", topic)
		checkStatus(t, err, want.code, want.reason, "dead_letter_topic")
		_, err = s.Subscriptions.CreateSubscription(bounded(t), &headracev1.CreateSubscriptionRequest{
			Subscription: &headracev1.Subscription{Name: "more", Topic: "hopeless", DeadLetterTopic: topic},
		})
		checkStatus(t, err, want.code, want.reason, "dead_letter_topic")
	}
	updateTo(t, s, "workers", "hopeless") // A shorter way to the same end is none back.
}

// TestATopicThatDeadLettersGoToIsNotDeleted: as long as one subscription says so.
func TestATopicThatDeadLettersGoToIsNotDeleted(t *testing.T) {
	home := storagetest.MemoryHome()
	t.Run("forwarding", func(t *testing.T) { forwarding(t, home, &headracev1.Topic{}) })
	s := servertest.Start(t, servertest.Options{Home: home})
	if _, err := s.Subscriptions.DeleteSubscription(bounded(t), &headracev1.DeleteSubscriptionRequest{Subscription: "menders"}); err != nil {
		t.Fatal(err)
	}
	remove := func() error {
		_, err := s.Topics.DeleteTopic(bounded(t), &headracev1.DeleteTopicRequest{Topic: "failed"})
		return err
	}
	err := remove()
	checkStatus(t, err, codes.FailedPrecondition, "TOPIC_HAS_SUBSCRIPTIONS", "")
	if got := errorInfo(err).GetMetadata()["subscription"]; got != "default/workers" {
		t.Errorf("because of %q", got)
	}
	got, err := tryUpdateTo(t, s, "workers", "")
	if err != nil || got.GetDeadLetterTopic() != "" {
		t.Fatalf("%v, %v", got, err)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	s.Publish("orders", numberedMessages(0, 1)...)
	rejectAll(t, s, 1)
	if all := listDeadLetters(t, s, &headracev1.ListDeadLettersRequest{}); len(all) != 1 || all[0].GetForward() != nil {
		t.Error(cmp.Diff(nil, all, protocmp.Transform()))
	}
}
